import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { openLongRunning } from "./long-running.ts"

const TRANSACTION = ["update-ref", "--no-deref", "-m", "test", "--stdin"]
const SILENT_MS_MAX = 300

test.each(["prepare", "commit"] as const)(
  "a git that is stopped before %s is ended, and leaves no lock and nothing half done",
  async (verb) => {
    using repo = new TestRepo()
    const from = repo.tip("main")
    const to = repo.commit({ "a.txt": "a" })
    repo.git("update-ref", "refs/heads/main", from)
    const git = await openLongRunning(repo.path, TRANSACTION, SILENT_MS_MAX)
    git.writeLines(`start\nupdate refs/heads/main ${to} ${from}\n`)
    expect(await git.waitFor("start: ok")).toBe(true)
    if (verb === "commit") {
      git.writeLines("prepare\n")
      expect(await git.waitFor("prepare: ok")).toBe(true)
    }
    process.kill(git.pid, "SIGSTOP")
    git.writeLines(`${verb}\n`)
    expect(await git.waitFor(`${verb}: ok`)).toBe(false)
    expect((await git.end()).exitCode).not.toBe(0)
    expect(repo.tip("main")).toBe(from)
    for (const lock of ["refs/heads/main.lock", "HEAD.lock"])
      expect(existsSync(join(repo.path, ".git", lock))).toBe(false)
  },
)

test("a git that has answered may stay idle for any time", async () => {
  using repo = new TestRepo()
  const git = await openLongRunning(repo.path, TRANSACTION, SILENT_MS_MAX)
  git.writeLines("start\n")
  expect(await git.waitFor("start: ok")).toBe(true)
  git.writeLines("abort\n")
  expect(await git.waitFor("abort: ok")).toBe(true)
  expect((await git.end()).exitCode).toBe(0)
})
