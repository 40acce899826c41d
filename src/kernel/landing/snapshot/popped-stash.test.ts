import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { LandingId } from "../../../base/ids.ts"
import { findTask } from "../../tasks/rows/find.ts"
import { recordTask } from "../../tasks/rows/record.ts"
import { lookAfterStashesOf } from "../../tasks/stashes.ts"
import { type HandBackDetails, handBackPrompt } from "../prompts/hand-back.ts"
import { addApproval, listPendingApprovals } from "../rows/approvals.ts"
import { findLanding } from "../rows/find.ts"
import { recordLanding } from "../rows/record.ts"

/** A person's stash of two files, a new one among them, and the turn of an agent. */
async function landing(
  turn: (git: (...args: string[]) => string, repo: TestRepo, worktree: string) => void,
  then: (it: LandingTest, id: LandingId, worktree: string) => unknown = () => {},
) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  repo.commit({ "a.txt": "a\n" }, "M1")
  const worktree = repo.worktree("feat")
  repo.write({ "a.txt": "a person's\n", "new.txt": "new\n" })
  repo.git("stash", "--quiet", "--include-untracked")
  const list = repo.git("stash", "list")
  const task = it.begin({ branch: "feat" })
  const look = () => lookAfterStashesOf(it.context, findTask(it.db, task)!)
  await look()
  repo.commit({ "work.txt": "w\n" }, "A1", worktree)
  turn((...args) => repo.gitIn(worktree, ...args), repo, worktree)
  await look()
  expect(repo.git("stash", "list")).toBe(list)
  const id = it.request(task)
  const { state, outcome, reason, details } = await it.run(id)
  await then(it, id, worktree)
  const stash = (details as HandBackDetails | null)?.stash
  return { state, outcome, reason, stash, end: findLanding(it.db, id), files: it.files() }
}

const ASKED = { state: "handed_back", outcome: "FOREIGN_STASH" }

test("work with a stash that its agent popped goes back to it [2.15]", async () => {
  const { files, ...rest } = await landing((git) => git("stash", "pop", "--quiet"))
  const popped = [{ tracked: ["a.txt"], untracked: ["new.txt"] }]
  expect(rest).toMatchObject({ ...ASKED, stash: { popped } })
  expect(rest.reason).toContain('holds changes of the stash "WIP on main: ')
  expect(files).not.toHaveProperty("new.txt")
})

test("one file of a popped stash is enough, and the commands of the prompt take it out [2.15]", async () => {
  const { stash, end, files } = await landing(
    (git) => {
      git("stash", "pop", "--quiet")
      git("commit", "--quiet", "--all", "--message", "A2")
      git("clean", "--quiet", "--force")
    },
    async (it, id, worktree) => {
      const prompt = handBackPrompt(it.landing(id).details as HandBackDetails, PLACE) ?? ""
      const commands =
        prompt
          .match(/^ {4}.*$/gm)
          ?.join("\n")
          .replace("<message>", "out") ?? ""
      execFileSync("sh", ["-ec", commands], { cwd: worktree, env: it.repo.env })
      it.resubmit(id)
      await it.run(id)
    },
  )
  expect(stash?.popped).toMatchObject([{ tracked: ["a.txt"], untracked: [] }])
  expect(end).toMatchObject({ state: "landed" })
  expect(files).toMatchObject({ "a.txt": "a", "work.txt": "w" })
})

const PLACE = { target: "main", worktree: null }

test("an agent that leaves it as it is makes a person decide, whose approval lands it [2.15]", async () => {
  const { end, files } = await landing(
    (git) => git("stash", "pop", "--quiet"),
    async (it, id) => {
      it.resubmit(id)
      const waits = await it.run(id)
      expect(waits).toMatchObject({ state: "in_review" })
      expect(waits.reason).toContain("which its agent did not make, in a.txt, new.txt")
      for (const pending of listPendingApprovals(it.db, id))
        addApproval(it.db, { task: waits.task, ...pending }, it.nowMs)
      recordLanding(it.db, waits, { event: "approved" }, it.nowMs)
      recordTask(it.db, it.task(id), { event: "approved" }, it.nowMs)
      await it.run(id)
      expect(it.leftRefs()).toEqual([])
    },
  )
  expect(end).toMatchObject({ state: "landed" })
  expect(files).toMatchObject({ "a.txt": "a person's", "new.txt": "new" })
})

test("a stash that was applied, and is still in the list, is found by all of its files [2.15]", async () => {
  expect(await landing((git) => git("stash", "apply", "--quiet"))).toMatchObject(ASKED)
  const alike = await landing((_, repo, worktree) => {
    repo.commit({ "a.txt": "a person's\n" }, "the same by chance", worktree)
  })
  expect(alike).toMatchObject({ state: "landed" })
})
