import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { waitFor } from "../../test/support/wait-for.ts"
import { openDialogue } from "./dialogue.ts"
import { baseEnvironment } from "./environment.ts"
import { converse, git } from "./exec.ts"
import { runPooled } from "./worker-pool.ts"

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

test("who talks to a git hears it, also that it has ended by itself, and its shell goes on", async () => {
  using repo = new TestRepo()
  const tip = repo.tip("main")
  for (const verb of ["delete refs/heads/none\nprepare", "no such command"]) {
    const dialogue = await openDialogue(repo.path, ["update-ref", "--stdin"])
    dialogue.say("start\n")
    expect(await dialogue.hear("start: ok")).toBe(true)
    dialogue.say(`create refs/heads/made ${tip}\n${verb}\n`)
    const isPrepared = await dialogue.hear("prepare: ok")
    const { exitCode, stderr } = await dialogue.end()
    expect([isPrepared, exitCode]).toEqual(verb.startsWith("no") ? [false, 128] : [true, 0])
    expect(stderr.includes("unknown command")).toBe(verb.startsWith("no"))
  }
  expect((await git(repo.path, ["for-each-ref", "--format=%(refname)"])).stdout).toBe(
    "refs/heads/main\n",
  )
})

test("a line that is said while git starts is read by it, and is no command where it cannot start", async () => {
  using repo = new TestRepo()
  const made = join(repo.folder, "made")
  const say = (line: string, cwd = repo.path) =>
    git(cwd, ["cat-file", "--batch-check=%(objecttype)"], { stdinLine: Promise.resolve(line) })
  await expect(say(`touch '${made}'`, join(repo.folder, "none"))).rejects.toMatchObject({
    code: "git.folder_missing",
  })
  expect((await say("main")).stdout).toBe("commit\n")
  expect((await say("")).stdout).toBe("")
  expect(existsSync(made)).toBe(false)
  const dead = await git(repo.path, ["no-such-command"], {
    stdinLine: Promise.resolve(`touch '${made}'`),
    answers: [1],
  })
  expect([dead.exitCode, existsSync(made)]).toEqual([1, false])
})

test("a git that is talked to in a missing folder is told as such", async () => {
  await expect(openDialogue("/no/such/folder", ["version"])).rejects.toMatchObject({
    code: "git.folder_missing",
  })
})

test("a git that is killed has ended; more than there are shells can talk at once, and leave room", async () => {
  using repo = new TestRepo()
  const talks = await Promise.all(
    Array.from({ length: 10 }, () =>
      converse(repo.path, ["cat-file", "--batch-check"], { onOutput: () => {} }),
    ),
  )
  const command = { args: ["version"], stdin: Buffer.alloc(0), outputBytesMax: 1000 }
  const other = await runPooled({ ...command, cwd: repo.path, env: baseEnvironment(process.env) })
  expect(other).toMatchObject({ kind: "ran", exitCode: 0 })
  for (const { pid } of talks) process.kill(pid, "SIGKILL")
  const ends = await Promise.all(talks.map(({ ended }) => ended))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(talks.map(() => 137))
  for (const { say, close } of talks) {
    say("said to nobody\n")
    close()
  }
  await waitFor("the shells to be free", () =>
    git(repo.path, ["rev-parse", "main"]).then(() => true),
  )
})
