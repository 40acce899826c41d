import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import type { Oid } from "../core/ids.ts"
import { commitOid, writeCommits } from "./commit-writer.ts"
import { GitError } from "./errors.ts"

test.each(["sha1", "sha256"] as const)(
  "writes a chain of commits byte for byte, named before it is written (%s)",
  async (objectFormat) => {
    using repo = new TestRepo({ objectFormat })
    const head = repo.tip("HEAD")
    const raws: string[] = []
    let parent: Oid = head
    for (const message of ["one", "h\xfc two"]) {
      const first = repo.git("cat-file", "commit", head).replace(/\n\n.*/s, `\n\n${message}\n`)
      const raw = first.replace("\nauthor ", `\nparent ${parent}\nauthor `)
      raws.push(raw)
      parent = commitOid(raw, head)
    }
    await writeCommits(repo.path, raws)
    expect(repo.git("rev-list", "--count", parent)).toBe("3")
    expect(repo.git("fsck", "--no-dangling")).toBe("")
  },
)

test("what is no commit is refused", async () => {
  using repo = new TestRepo()
  await expect(writeCommits(repo.path, ["no commit"])).rejects.toThrow(GitError)
  await writeCommits(repo.path, [])
})
