import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { TaskId } from "../../../base/ids.ts"
import { Waits } from "../../waits/waits.ts"
import { deleteUnused } from "./delete-unused.ts"

const TASK = 7 as TaskId

test("a branch whose deletion waits for another git's lock says so, and goes when the lock does [12.1]", async () => {
  using repo = new TestRepo()
  repo.git("branch", "feat")
  repo.write({ ".git/packed-refs.lock": "" })
  const waits = new Waits()
  const unused = { home: "/a/home", task: TASK, branch: "feat", tip: repo.tip("feat") }
  const rest = { safeCommits: [repo.tip("main")], reason: "it is over", rescued: [] }
  const deleted = waits.during(TASK, () =>
    deleteUnused(repo.path, { ...unused, ...rest, lockedMsMax: 60_000 }),
  )
  await waitFor("the wait", () => waits.find(TASK)?.text.includes("the branch feat") === true)
  rmSync(join(repo.path, ".git/packed-refs.lock"))
  expect(await deleted).toBeUndefined()
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main")
  expect(waits.find(TASK)).toBeUndefined()
})
