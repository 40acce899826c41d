import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { readProcess } from "../../process/process-table.ts"
import { baseEnvironment } from "./environment.ts"
import { git, startLongRunning } from "./exec.ts"
import { openLongRunning } from "./long-running.ts"

/** Options that run git in a worker, or as our own child. */
const WAYS = [
  ["in a worker", {}],
  ["as our child", { cutAtBytes: 1000 }],
] as const

test.each(WAYS)("git %s does nothing before we have its process id", async (_, way) => {
  using repo = new TestRepo()
  const made = join(repo.folder, "made")
  const args = ["-c", `alias.make=!touch '${made}'`, "make"]
  const refuse = () => {
    throw new Error("disk full")
  }
  await expect(git(repo.path, args, { ...way, onPid: refuse })).rejects.toThrow("disk full")
  expect(existsSync(made)).toBe(false)
  const pids: number[] = []
  const onPid = (pid: number) => {
    expect(existsSync(made)).toBe(false)
    pids.push(pid)
  }
  await git(repo.path, args, { ...way, onPid })
  expect([pids.length, existsSync(made)]).toEqual([1, true])
  const own = { ...way, onPid: (pid: number) => pids.push(pid) }
  const asks = ["-c", "alias.pid=!cat; echo $PPID", "pid"]
  const { stdout } = await git(repo.path, asks, { ...own, stdin: "input\n" })
  expect(stdout).toBe(`input\n${pids.at(-1)}\n`)
  const nowhere = git(join(repo.folder, "nowhere"), args, own)
  await expect(nowhere).rejects.toMatchObject({ code: "git.folder_missing" })
})

test.each(WAYS)("git %s never starts if we die before we have its process id", async (_, way) => {
  using repo = new TestRepo()
  const made = join(repo.folder, "made")
  const pidFile = join(repo.folder, "pid")
  const program = `
    import { writeFileSync } from "node:fs"
    import { git } from ${JSON.stringify(join(import.meta.dirname, "exec.ts"))}
    const onPid = (pid) => {
      writeFileSync(${JSON.stringify(pidFile)}, String(pid))
      process.kill(process.pid, "SIGKILL")
    }
    const args = ["-c", ${JSON.stringify(`alias.make=!touch '${made}'`)}, "make"]
    await git(${JSON.stringify(repo.path)}, args, { ...${JSON.stringify(way)}, onPid })`
  const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", program])
  expect(signal).toBe("SIGKILL")
  const pid = Number(readFileSync(pidFile, "utf8"))
  await waitFor("the end of what would have become git", () => readProcess(pid) === undefined)
  expect(existsSync(made)).toBe(false)
})

test("a text may hold line ends", async () => {
  using repo = new TestRepo()
  const odd = "one\n'two'\n\n$nl"
  const { stdout } = await git(repo.path, ["-c", `x.y=${odd}`, "config", "--null", "x.y"])
  expect(stdout).toBe(`${odd}\0`)
})

test("a long-running git passes on its output and its end", async () => {
  using repo = new TestRepo()
  const tip = repo.tip("main")
  for (const verb of ["delete refs/heads/none\nprepare", "no such command"]) {
    const running = await openLongRunning(repo.path, ["update-ref", "--stdin"])
    running.writeLines("start\n")
    expect(await running.waitFor("start: ok")).toBe(true)
    running.writeLines(`create refs/heads/made ${tip}\n${verb}\n`)
    const isPrepared = await running.waitFor("prepare: ok")
    const { exitCode, stderr } = await running.end()
    expect([isPrepared, exitCode]).toEqual(verb.startsWith("no") ? [false, 128] : [true, 0])
    expect(stderr.includes("unknown command")).toBe(verb.startsWith("no"))
  }
  expect((await git(repo.path, ["for-each-ref", "--format=%(refname)"])).stdout).toBe(
    "refs/heads/main\n",
  )
})

test("a long-running git reports a missing folder", async () => {
  await expect(openLongRunning("/no/such/folder", ["version"])).rejects.toMatchObject({
    code: "git.folder_missing",
  })
})

test("a git that is killed has ended, and says so", async () => {
  using repo = new TestRepo()
  const { pid, ended, writeLines, close } = startLongRunning(
    repo.path,
    ["cat-file", "--batch-check"],
    {
      whole: baseEnvironment(process.env),
      onOutput: () => {},
    },
  )
  process.kill(pid!, "SIGKILL")
  expect((await ended).exitCode).toBe(137)
  writeLines("main\n") // to no git
  close()
})
