import { realpathSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { TaskId } from "../../base/ids.ts"
import { reviewerView } from "./reviewer-view.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

test("a home around the user's own is not locked as a whole, so a program keeps its login [47.10]", async () => {
  using repo = new TestRepo()
  const home = realpathSync(repo.folder)
  const worktree = join(home, "app.worktrees/1-a")
  const request = { task: 2 as TaskId, home, stateDir: join(home, "state"), repos: [repo.path] }
  const program = { env: {}, runtime: "command" } as const
  const view = async () =>
    await reviewerView({ ...request, ...program, worktreesOf: () => [worktree] })
  const apart = (await view()).locked
  vi.stubEnv("HOME", join(home, "me"))
  const around = (await view()).locked
  expect([apart.includes(home), around.includes(home)]).toEqual([true, false])
  for (const path of [repo.path, join(home, "app.worktrees"), join(home, "coppice.yml")])
    expect(around).toContain(path)
})
