import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, vi, test as vitest } from "vitest"
import { TestImage } from "../../../test/support/container.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { type Fence, realPath } from "../../kernel/process/fence.ts"
import type { ChildExit } from "../../kernel/process/owned-child.ts"
import { ProcessOwner } from "../../kernel/process/owner.ts"
import { runBounded } from "../../kernel/process/run.ts"
import { inContainer } from "./container.ts"
import { type Engine, findEngine } from "./container-engine.ts"
import { endLeftContainers, noteEngine, STATE_LABEL } from "./left-containers.ts"
import type { ContainerConfig } from "./rules/containment.ts"

const images = TestImage.all()
for (const { env } of images)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
afterAll(() => {
  for (const image of images) image[Symbol.dispose]()
  vi.unstubAllEnvs()
})

const isRoot = process.getuid?.() === 0
const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

/** The engine under test. */
let engine: Engine
let image: TestImage

/** A user's home with a secret, and the folders of a contained program in it. */
function user(config: Partial<ContainerConfig> = {}, fenced: Partial<Fence> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "coppice-container-")))
  homes.push(home)
  const at = (path: string) => {
    mkdirSync(join(home, path), { recursive: true })
    return join(home, path)
  }
  const [worktree, own, state] = [
    at('project/wo,rk "1"'),
    at("state/home"),
    at("state/git/private"),
  ]
  writeFileSync(join(at(".ssh"), "key"), "secret\n")
  const fence: Fence = {
    home: own,
    writable: [worktree, state],
    readable: [],
    fixed: [],
    caches: [],
    network: false,
    findReal: realPath,
    ...fenced,
  }
  const unset = { memory: undefined, cpus: undefined, pids: undefined }
  const limits = { devcontainer: false, engine: undefined, ...unset }
  const of = (env: Record<string, string> = {}) => ({
    config: { image: image.name, ...limits, ...config },
    labels: { [STATE_LABEL]: home },
    engine,
    stateDir: home,
    set: env,
  })
  const launch = (script: string, env: Record<string, string> = {}) =>
    inContainer(
      { command: "/bin/sh", args: ["-c", script], cwd: worktree, env: { HOME: home, ...env } },
      fence,
      of(env),
    )
  const listed = () => image.engine("ps", "-aq", "--filter", `label=${STATE_LABEL}=${home}`)
  return { home, state, worktree, launch, listed }
}

function isHidden(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("48151.1\0")
  } catch {
    return false // the process has ended
  }
}

type User = ReturnType<typeof user>

/** The owner of all processes, which starts each in a container. */
const ownerOf = ({ launch }: User) =>
  new ProcessOwner({
    mark: `container-${process.pid}-${Math.random()}`,
    contain: async ({ args, env }) => launch(String(args[1]), env),
  })

async function run(of: User, script: string, env: Record<string, string> = {}): Promise<string> {
  await using owner = ownerOf(of)
  const limits = {
    timeoutMs: 30_000,
    outputBytesMax: 100_000,
    purpose: "gate",
    task: null,
  } as const
  const end = await runBounded(owner, { command: script, cwd: of.home, env, ...limits })
  return end.output
}

async function ownExit(of: User, code: number): Promise<ChildExit> {
  await using owner = ownerOf(of)
  const options = { cwd: of.home, env: {}, purpose: "agent", task: null } as const
  const owned = await owner.spawn("/bin/sh", ["-c", `exit ${code}`], options)
  const [first, last] = [await owned.exit, await owned.exited]
  expect(first).toEqual(last)
  return last
}

describe.each(images)("in a container of $engineName", (one) => {
  const test = one.missing === undefined ? vitest : vitest.skip
  beforeAll(async () => {
    image = one
    if (one.missing === undefined) engine = await findEngine(one.engineName, process.env)
  })

  test("links that a program left in its HOME lead no mount of the next one outside [43.3, 43.4]", async () => {
    const it = user()
    const link = `mv project old && ln -s ${it.home}/.ssh project; mv state older && ln -s / state`
    await run(it, `cd ~ && ${link}`)
    const left = (name: string) => lstatSync(join(it.home, "state/home", name)).isSymbolicLink()
    expect([left("project"), left("state")]).toEqual([true, true])
    const told = await run(it, `cat ~/project/key; echo evil > ~/project/evil; pwd`)
    expect(told, "it is where it was mounted").toContain(`${it.worktree}\n`)
    expect(told).not.toContain("secret")
    expect(readdirSync(join(it.home, ".ssh"))).toEqual(["key"])
  })

  test("with Podman, a link that takes the place of a path after the look starts nothing [43.39]", async ({
    skip,
  }) => {
    if (engine.name !== "podman") return skip("Docker may run on another kernel")
    const it = user()
    const launch = (script: string, env?: Record<string, string>) => {
      const launched = it.launch(script, env)
      renameSync(it.state, `${it.state}-old`)
      symlinkSync(join(it.home, ".ssh"), it.state)
      return launched
    }
    expect(await run(it, `ls ${it.state}; echo started`)).toBe("started\n")
    expect(await run({ ...it, launch }, `ls ${it.state}; echo started`)).toBe(
      "coppice: a path that this program sees was replaced while it started: try again\n",
    )
  })

  test("an image may have `stat` elsewhere, and links at the paths that a program sees", async () => {
    const at = "/usr/bin/git-upload-pack" // a link in the image
    const shown = join(tmpdir(), `coppice-shown-${process.pid}`)
    homes.push(shown)
    writeFileSync(shown, "shown\n")
    const findReal = (path: string) => realPath(path === at ? shown : path)
    const linked = user({}, { readable: [at], findReal })
    expect(await run(linked, `cat ${at}`)).toBe("shown\n")

    const bin = mkdtempSync(join(tmpdir(), "coppice-bin-"))
    homes.push(bin)
    copyFileSync("/bin/sh", join(bin, "sh"))
    const it = user({}, { fixed: [{ from: bin, at: "/usr/bin" }] })
    writeFileSync(join(it.worktree, "stat"), "#!/bin/sh\n", { mode: 0o700 })
    expect(await run(it, "echo started", { PATH: it.worktree })).toBe("started\n")
  })

  test("a program has no capability, gains none, and writes only where it may [43.4]", async () => {
    const it = user()
    const told = await run(it, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
    expect(told.match(/^Cap.*[1-9a-f]$/m)).toBeNull()
    expect(told).toContain("NoNewPrivs:\t1")
    const open = (path: string) => run(it, `{ : >> ${path}; } 2> /dev/null && echo open`)
    for (const path of ["/evil", "/usr/bin/evil", "/proc/sys/kernel/core_pattern"])
      expect(await open(path), path).toBe("")
    for (const path of ["/tmp/mine", "~/mine", "mine"])
      expect(await open(path), path).toBe("open\n")
    expect(statSync(join(it.worktree, "mine")).uid).toBe(process.getuid?.())
  })

  test("a program reaches no keyring, and with Podman no virtual socket [43.35]", async () => {
    const ask = process.arch === "x64" ? [248, 249, 250] : [217, 218, 219]
    const calls = ask.map((number) => `syscall(${number}, 0, -4, 0, 0, 0), " "`)
    const it = user()
    const told = await run(it, `perl -e 'print ${calls}, socket(S, 40, 1, 0) ? 0 : -1'`)
    expect(told).toMatch(engine.name === "podman" ? /^-1 -1 -1 -1$/ : /^-1 -1 -1 /) // Docker: since 23
    expect(await run(it, "perl -e 'print socket(S, 1, 1, 0)'")).toBe("1")
  })

  test("a mount below a read-only folder stays as it is [43.4]", async ({ skip }) => {
    if (!isRoot) return skip("only root mounts")
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-mounts-")))
    const inner = join(folder, "inner")
    mkdirSync(inner)
    execFileSync("mount", ["-t", "tmpfs", "none", inner])
    try {
      const fixed = [{ from: folder, at: "/run/fixed" }]
      const it = user({}, { readable: [folder], fixed })
      await run(it, `for at in ${folder} /run/fixed; do echo evil > $at/inner/evil; done`)
      expect(readdirSync(inner)).toEqual([])
    } finally {
      execFileSync("umount", [inner])
      rmSync(folder, { recursive: true })
    }
  })

  test("of two paths at one place the last counts, as in a sandbox", async () => {
    const it = user()
    const [cache, npm] = [join(it.home, "cache"), join(it.home, ".npm")]
    for (const path of [cache, npm]) mkdirSync(path)
    writeFileSync(join(npm, "kept"), "kept\n")
    const both = user({}, { caches: [{ from: cache, at: npm }], readable: [npm] })
    expect(await run(both, `cat ${npm}/kept`)).toBe("kept\n")
    expect(await run(user(), "touch ~/mine && echo made", { HOME: "/tmp" })).toBe("made\n")
  })

  test("a path that no engine reads as it is written is refused", () => {
    const fixed = [{ from: "/tmp/a\r\nb", at: "/run/fixed" }]
    expect(() => user({}, { fixed }).launch(":")).toThrow("CR LF")
  })

  test("variables of its program neither lead the engine elsewhere nor run code in it", async () => {
    const env = {
      CONTAINER_HOST: "tcp://127.0.0.1:1",
      DOCKER_HOST: "tcp://127.0.0.1:1",
      PODMAN_CONNECTIONS_CONF: "/nowhere/connections",
      PODMAN_USERNS: "host",
      _CONTAINERS_USERNS_CONFIGURED: "done",
      TMPDIR: "/nowhere",
      LD_PRELOAD: "/nowhere/evil.so",
    }
    const it = user()
    const ofEngine = Object.values(it.launch(":", env).env)
    for (const value of Object.values(env)) expect(ofEngine).not.toContain(value)
    const told = await run(it, "env", env)
    for (const [name, value] of Object.entries(env)) expect(told).toContain(`${name}=${value}\n`)
  })

  test("no bytes of its input take the engine's client away from it", async () => {
    const it = user()
    await using owner = ownerOf(it)
    const options = { cwd: it.home, env: {}, purpose: "agent", task: null } as const
    const script = ": > started; cat; echo end"
    const { child, exited } = await owner.spawn("/bin/sh", ["-c", script], options)
    let told = ""
    child.stdout?.on("data", (bytes) => {
      told += String(bytes)
    })
    await waitFor("its start", () => readdirSync(it.worktree).includes("started"))
    for (const byte of ["a", "\x10", "\x11"]) {
      child.stdin?.write(byte)
      await delay(200) // the engine reads each byte alone
    }
    child.stdin?.end()
    await exited
    expect(told).toBe("a\x10\x11end\n")
  })

  test("without a network it reaches no program on loopback, and with one it does [43.5]", async () => {
    await using server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const connect = `bash -c ': > /dev/tcp/127.0.0.1/${port}' 2>/dev/null && echo reached`
    expect(await run(user({}, { network: true }), connect)).toBe("reached\n")
    expect(await run(user(), connect)).toBe("")
  })

  test("its limits hold [43.15]", async ({ skip }) => {
    if (!isRoot && !existsSync("/sys/fs/cgroup/cgroup.controllers"))
      return skip("without root, limits need control groups v2")
    const it = user({ memory: "64m", pids: 20, cpus: 0.5 })
    const read = (v2: string, v1: string) =>
      run(it, `cat /sys/fs/cgroup/${v2} /sys/fs/cgroup/${v1} 2>/dev/null`)
    expect(await read("memory.max", "memory/memory.limit_in_bytes")).toContain(`${64 * 1024 ** 2}`)
    expect(await read("pids.max", "pids/pids.max")).toMatch(/^20$/m)
    expect(await read("cpu.max", "cpu/cpu.cfs_quota_us")).toMatch(/^50000\b/m)
  })

  test("values of variables are not on the command line, and those of the machine do not pass", async () => {
    const it = user()
    const secret = "s3cret\nwith a line"
    expect(it.launch(":", { KEY: secret }).args.join(" ")).not.toContain("s3cret")
    const told = await run(it, 'echo "$KEY"; env', { KEY: secret, CONTAINERS_CONF: "other" })
    expect(told).toContain(secret)
    expect(told).toContain("CONTAINERS_CONF=other")
    const launched = it.launch(":")
    expect(launched.args).not.toContain("SHELL")
  })

  test("the exit code and the output are the program's, and nothing is left", async () => {
    const it = user()
    await using owner = ownerOf(it)
    const limits = { timeoutMs: 30_000, outputBytesMax: 100, purpose: "gate", task: null } as const
    const command = "cat; echo error >&2; exit 7"
    const end = await runBounded(owner, {
      command,
      cwd: it.home,
      env: {},
      ...limits,
      stdin: "in\n",
    })
    expect(end).toMatchObject({ kind: "exited", code: 7 })
    expect(end.output.split("\n").sort()).toEqual(["", "error", "in"])
    expect(it.listed()).toBe("")
    for (const code of [0, 1, 255]) {
      expect(await ownExit(it, code), String(code)).toEqual({ code, signal: null })
      expect(it.listed(), String(code)).toBe("")
    }
    for (const code of [113, 125])
      expect(await ownExit(it, code), String(code)).toEqual({ code: 1, signal: null })
  })

  test("ending it ends its processes, though they ignore TERM, and removes the container [43.8]", async () => {
    const it = user()
    await using owner = ownerOf(it)
    const script =
      "trap '' TERM; (setsid env -i /bin/sh -c 'sleep 48151.1 & : > started; sleep 48151.1'); :"
    const options = { cwd: it.home, env: {}, purpose: "agent", task: null } as const
    const owned = await owner.spawn("/bin/sh", ["-c", script], options)
    await waitFor("the hidden process", () => readdirSync(it.worktree).includes("started"))
    await owned.end(100)
    const running = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isHidden(pid))
    expect(running).toEqual([])
    await waitFor("its removal by the engine", () => it.listed() === "")
  })

  test("an engine that fails to start the container is no red gate [43.17]", async () => {
    expect(await ownExit(user({ image: "localhost/coppice-none:1" }), 0)).toEqual({
      code: 126,
      signal: null,
    })
  })

  test("containers that a dead daemon left are removed at the next start, and no others [43.14]", async () => {
    const [it, other] = [user(), user()]
    for (const { launch } of [it, other]) {
      const { args } = launch("sleep 1000")
      const [run = "", ...rest] = args.filter((word) => word !== "--interactive" && word !== "--rm")
      image.engine(run, "--detach", ...rest)
    }
    noteEngine(it.home, engine)
    await endLeftContainers(it.home)
    expect(it.listed()).toBe("")
    expect(other.listed()).not.toBe("")
    noteEngine(other.home, engine)
    await endLeftContainers(other.home)
    expect(other.listed()).toBe("")
  })

  test("a stop between the creation of a container and its start leaves none [43.8]", async ({
    skip,
  }) => {
    const it = user()
    using start = image.hold()
    if (start === undefined) return skip("the start of its containers cannot be held")
    await using owner = ownerOf(it)
    const options = { cwd: it.home, env: {}, purpose: "agent", task: null } as const
    const owned = await owner.spawn("/bin/sh", ["-c", "sleep 1000"], options)
    await waitFor("its start", start.isReached)
    await owned.end(100)
    expect(it.listed()).toBe("")
  })

  test("a client that TERM ends before its program starts is no red gate [43.17]", async ({
    skip,
  }) => {
    const it = user()
    using start = image.hold()
    if (start === undefined) return skip("the start of its containers cannot be held")
    await using owner = ownerOf(it)
    const options = { cwd: it.home, env: {}, purpose: "gate", task: null } as const
    const owned = await owner.spawn("/bin/sh", ["-c", "exit 7"], options)
    await waitFor("its start", start.isReached)
    owned.child.kill("SIGTERM")
    expect((await owned.exited).code).toBe(126)
  })
})
