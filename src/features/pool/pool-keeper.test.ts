import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { git } from "../../kernel/git/start/exec.ts"
import { LIMITS } from "../../kernel/git/start/limits.ts"
import { PoolKeeper } from "./pool-keeper.ts"

const usual = { ...LIMITS }
Object.assign(LIMITS, { abandonedMs: 300 })
afterAll(() => Object.assign(LIMITS, usual))

test("a git of a pool has less time left once the pool closes [12.10]", async () => {
  using repo = new TestRepo()
  const errors: unknown[] = []
  const keeper = new PoolKeeper((error) => errors.push(error))
  const args = ["-c", "alias.wait=!touch begun; sleep 1000", "wait"]
  keeper.ask(repo.path, "make one", async () => void (await git(repo.path, args)))
  await waitFor("git to wait", () => existsSync(join(repo.path, "begun")))
  await keeper.close()
  expect(errors).toMatchObject([{ code: "git.timed_out" }])
})
