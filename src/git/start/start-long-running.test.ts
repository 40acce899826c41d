import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { baseEnvironment } from "./environment.ts"
import { git, startLongRunning } from "./exec.ts"
import { openLongRunning } from "./long-running.ts"

test("git does nothing before its process id was told, and never starts where that fails", async () => {
  using repo = new TestRepo()
  const made = join(repo.folder, "made")
  const args = ["-c", `alias.make=!touch '${made}'`, "make"]
  const refuse = () => {
    throw new Error("disk full")
  }
  await expect(git(repo.path, args, { onPid: refuse })).rejects.toThrow("disk full")
  expect(existsSync(made)).toBe(false)
  const pids: number[] = []
  const onPid = (pid: number) => {
    expect(existsSync(made)).toBe(false)
    pids.push(pid)
  }
  await git(repo.path, args, { onPid })
  expect([pids.length, existsSync(made)]).toEqual([1, true])
  const own = { onPid: (pid: number) => pids.push(pid) }
  const { stdout } = await git(repo.path, ["-c", "alias.pid=!echo $PPID", "pid"], own)
  expect(stdout.trim()).toBe(String(pids.at(-1)))
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
    running.say("start\n")
    expect(await running.hear("start: ok")).toBe(true)
    running.say(`create refs/heads/made ${tip}\n${verb}\n`)
    const isPrepared = await running.hear("prepare: ok")
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
  const { pid, ended, say, close } = startLongRunning(repo.path, ["cat-file", "--batch-check"], {
    whole: baseEnvironment(process.env),
    onOutput: () => {},
  })
  process.kill(pid!, "SIGKILL")
  expect((await ended).exitCode).toBe(137)
  say("main\n") // to no git
  close()
})
