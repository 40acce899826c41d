import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { ConfigGoneError } from "../../tasks/rules/config-gone.ts"
import { WorkspaceError } from "../../workspaces/errors.ts"

test.each([
  new WorkspaceError("workspace.holds_repositories", "it cannot go", []),
  new ConfigGoneError("agents", "coder"),
])(
  "a clean-up that ends with an error leaves no doubt where the work has landed: %s",
  async (error) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const worktree = repo.worktree("feat")
    const tip = repo.commit({ "a.txt": "a" }, "A1", worktree)
    const id = it.submit({ branch: "feat", worktree })
    it.onPoint = (name) => {
      if (name === "cleaning: removed") throw error
    }
    expect(await it.run(id)).toMatchObject({ state: "landed", reason: error.message })
    expect(it.task(id)).toMatchObject({ state: "complete", repos: [{ mergeTip: tip }] })
  },
)
