/** No terminal opens in a worktree that is being removed. */
import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { ProcessOwner } from "../../kernel/process/owner.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { GitWorktreeStrategy } from "../../kernel/workspaces/git-worktree.ts"
import { Terminals } from "./terminals.ts"

test("a terminal is refused while a worktree that was kept is removed, and ends if it starts in that instant [38.35]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  await using owner = new ProcessOwner({ mark: `terminals-${process.pid}` })
  const worktree = repo.worktree("kept")
  const task = findTask(it.db, it.begin({ branch: "kept", land: "none" }))!
  const workspaces = new GitWorktreeStrategy({ home: "0123456789" as never, db: it.db })
  const places = { db: it.db, home: repo.path, stateDir: repo.folder, workspaces }
  const terminals = new Terminals({ ...places, owner }, (error) => expect(error).toBeUndefined())
  expect(terminals.placeFor(task, undefined)).toMatchObject({ folder: worktree })

  const size = { columns: 80, rows: 24 }
  const opening: Promise<unknown>[] = []
  let refusal: unknown
  const removal = { repo: repo.path, worktree, branch: undefined, placed: [], task: task.id }
  opening.push(terminals.open(task, undefined, size).catch((error: unknown) => error))
  await workspaces.teardown({
    ...removal,
    safeCommits: [],
    reason: "test",
    before: async () => {
      refusal = await terminals.open(task, undefined, size).catch((error: unknown) => error)
      await Promise.all(opening)
    },
  })
  const message = `No terminal of task ${task.id} opens: its worktree is being removed.`
  expect(refusal).toMatchObject({ code: "task.refused", message })
  expect(await opening[0]).toMatchObject({ code: "task.refused", message })
  expect(existsSync(worktree)).toBe(false)
})
