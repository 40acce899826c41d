import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { branchRef } from "../../core/ids.ts"
import { lookAtCheckout } from "./target-checkout.ts"

test("an edit hidden from git is named, although `git status` does not list it [5.1]", async () => {
  using repo = new TestRepo()
  const to = repo.commit({ "README.md": "theirs" }, "A1", repo.worktree("feat"))
  repo.git("update-index", "--skip-worktree", "README.md")
  repo.write({ "README.md": "mine" })
  const move = { target: branchRef("main"), from: repo.tip("main"), to }
  const inTheWay = { kind: "inTheWay", paths: ["README.md"] }
  expect(await lookAtCheckout(repo.path, move)).toMatchObject(inTheWay)
})
