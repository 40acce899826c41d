import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { type Fence, realPath } from "../../kernel/process/fence.ts"
import { probeSandbox } from "./probe-sandbox.ts"
import { sandboxed } from "./sandbox.ts"

const missing = await probeSandbox(process.env["PATH"])

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

/** A user's home with a secret, and the folders of a sandbox in it. */
function user(fenced: Partial<Fence> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "coppice-sandbox-")))
  homes.push(home)
  const at = (path: string) => {
    mkdirSync(join(home, path), { recursive: true })
    return join(home, path)
  }
  const [worktree, own, state] = [at("project/work"), at("state/home"), at("state/git/private")]
  writeFileSync(join(at(".ssh"), "key"), "secret\n")
  const run = (script: string, meanwhile = () => {}) => {
    const env = { HOME: home, PATH: `${at("bin")}:${process.env["PATH"]}` }
    const shell = { command: "/bin/sh", args: ["-c", script], cwd: "/", env }
    const fence = {
      home: own,
      writable: [worktree, state],
      readable: [at("project/shown")],
      fixed: [],
      caches: [],
      network: true,
      findReal: realPath,
      ...fenced,
    }
    const { command, args, cwd, env: inside } = sandboxed(shell, fence, state)
    meanwhile()
    const { stdout, stderr } = spawnSync(command, args, { cwd, env: inside, encoding: "utf8" })
    return stdout + stderr
  }
  return { home, state, run }
}

describe.skipIf(missing !== undefined)("in a sandbox", () => {
  test("links that a program left in its HOME lead no mount of the next one outside [43.3, 43.4]", () => {
    const { home, state, run } = user()
    run(`cd ~ && mv project moved && mkdir project && mv bin gone && ln -s /oldroot${home}/.ssh/new bin
      ln -s /oldroot${home}/state/git project/work
      cd ${home}/moved/work && ln -s /oldroot${home}/.ssh private`)
    const told = run(`cat ${state}/key; echo evil > ${state}/evil`)
    expect(told).not.toContain("secret")
    expect(readdirSync(join(home, ".ssh"))).toEqual(["key"])
  })

  test("a program of root has no capability, and changes no setting of the kernel [43.4]", () => {
    const { run } = user()
    expect(run("grep ^Cap /proc/self/status").match(/[1-9a-f](?=[0-9a-f]*\n)/)).toBeNull()
    const open = (path: string) => run(`{ : >> ${path}; } 2> /dev/null && echo open`)
    for (const path of ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"])
      expect(open(path), path).not.toContain("open")
    expect(run("mount -o remount,bind,rw /usr && echo remounted")).not.toContain("remounted")
  })

  const perl = spawnSync("perl", ["-e", "1"]).status === 0

  test.skipIf(!perl)(
    "a program reaches no keyring, no other namespace and no virtual socket [43.33]",
    () => {
      const { home, run } = user()
      const call = (code: string) => run(`cd ${home}/project/work; perl -e '${code}' 2>&1`)
      const numbers = process.arch === "x64" ? [248, 250, 272, 321] : [217, 219, 97, 280]
      for (const number of numbers)
        expect(call(`print syscall(${number}, 0, 0, 0, 0, 0), " ", $!+0`), `${number}`).toBe("-1 1")
      expect(call("print socket(S, 40, 1, 0) ? 0 : $!+0")).toBe("97")
      expect(call("print socket(S, 2, 1, 0) ? 0 : $!+0")).toBe("0")
      expect(run("touch made && stat -c %a made; cp /bin/ls . && ./ls made")).toContain("made")
      expect(run("cat /proc/keys /proc/key-users; ls /proc/self/fd")).not.toMatch(/perm|9/)
    },
  )

  test.skipIf(!perl)(
    "a program sets no set-user-id or set-group-id bit, and works in a folder that has one [43.46]",
    () => {
      const { home, run } = user()
      const work = join(home, "project/work")
      run(":")
      chmodSync(work, 0o2755)
      const call = (code: string) => run(`cd ${work}; perl -e '${code}' 2>&1`)
      expect(call("open F, q(>x); print map { chmod($_, q(x)) } 04755, 02755, 01755")).toBe("001")
      for (const mode of ["04755", "02755"]) {
        const made = `sysopen(F, q(${mode}), O_CREAT | O_WRONLY, ${mode})`
        expect(call(`use Fcntl; print ${made} || $!+0`), mode).toBe("1")
      }
      const told = run(
        `cd ${work} && mkdir -p a/b && cp -r a c && git init -q d && ls -d c/b d/.git`,
      )
      expect(told).toBe("c/b\nd/.git\n")
    },
  )

  test("a program's own sandbox is refused there at once, and runs nothing [43.43]", () => {
    const { run } = user()
    const told = run("bwrap --ro-bind / / echo ran; unshare --user echo ran")
    expect(told).toContain("Creating new namespace failed")
    expect(told).not.toContain("ran\n")
  })

  test("a link that takes the place of a path after the look starts nothing [43.39]", () => {
    const { home, run } = user()
    run(":")
    writeFileSync(join(home, "project/shown/key"), "shown\n")
    const script = `echo started; cat ${home}/project/shown/key`
    expect(run(script)).toBe("started\nshown\n")
    const told = run(script, () => {
      renameSync(join(home, "project/shown"), join(home, "project/old"))
      symlinkSync(join(home, ".ssh"), join(home, "project/shown"))
    })
    expect(told).toBe(
      "coppice: a path that this program sees was replaced while it started: try again\n",
    )
  })

  test("a system without `stat` is named as such", () => {
    const bin = mkdtempSync(join(tmpdir(), "coppice-bin-"))
    homes.push(bin)
    copyFileSync("/bin/sh", join(bin, "sh"))
    const { run } = user({ fixed: ["/usr/bin", "/bin"].map((at) => ({ from: bin, at })) })
    expect(run("echo started")).toMatch(/^coppice: .*\bstat: .*\n$/)
  })

  test("the program that makes a sandbox is on our PATH, and none on the agent's counts [43.40]", () => {
    const { home, run } = user()
    run(":")
    writeFileSync(join(home, "bin/bwrap"), "#!/bin/sh\necho evil\n", { mode: 0o700 })
    expect(run("echo started")).toBe("started\n")
  })

  test("a private key of the system's is not there [43.3]", () => {
    const { run } = user()
    expect(run("ls /etc/ssl /etc/pki /etc/pki/tls")).not.toContain("private")
  })
})
