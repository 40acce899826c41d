import { appendFileSync, chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { CONVERTED, commitConverted, touch } from "../../../../test/support/converted.ts"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"

const KINDS = Object.entries(CONVERTED)

/** Lands an edit of `f` while git calls that file changed in the checkout and in the worktree. */
async function land(converted: (typeof KINDS)[number][1], disturb: (repo: TestRepo) => void) {
  const repo = new TestRepo()
  commitConverted(repo, converted)
  const it = new LandingTest(repo, { gate: "true" })
  const worktree = repo.worktree("feat")
  repo.write({ f: "new\n", "x.txt": "x" }, worktree)
  touch(repo.path)
  disturb(repo)
  const landing = await it.run(it.submit({ branch: "feat" }))
  return {
    landing,
    repo,
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]()
      repo[Symbol.dispose]()
    },
  }
}

test.each(KINDS)(
  "a checkout advances over %s that it always shows as changed [5.2]",
  async (_, kind) => {
    await using it = await land(kind, () => {})
    expect(it.landing).toMatchObject({ state: "landed" })
    expect(readFileSync(join(it.repo.path, "f"), "utf8")).toContain("new")
    expect(it.repo.git("diff", "--name-only", "HEAD~1", "HEAD")).toBe("f\nx.txt")
  },
)

test.each([
  ["an edit", (f: string) => appendFileSync(f, "mine\n")],
  ["a mode", (f: string) => chmodSync(f, 0o755)],
  [
    "a staged edit",
    (f: string, repo: TestRepo) => {
      appendFileSync(f, "mine\n")
      repo.git("add", "f")
    },
  ],
])("%s of a person there is still in the way [5.1]", async (_, edit) => {
  await using it = await land(CONVERTED["CRLF in a text"]!, (repo) =>
    edit(join(repo.path, "f"), repo),
  )
  expect(it.landing).toMatchObject({ outcome: "DIRTY_MAIN", details: { paths: ["f"] } })
})

test("leftovers do not contain what git calls changed and no one changed [4.17]", async () => {
  using repo = new TestRepo()
  commitConverted(repo, CONVERTED["CRLF in a text"]!)
  await using it = new LandingTest(repo, { gate: "true" })
  const worktree = repo.worktree("feat")
  touch(worktree)
  repo.write({ "x.txt": "x" }, worktree)
  expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ state: "landed" })
  expect(repo.git("diff", "--name-only", "HEAD~1", "HEAD")).toBe("x.txt")
})
