import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { openCommitWriter } from "./commit-writer.ts"
import { GitError } from "./errors.ts"
import { writeCommitObject } from "./hash-object.ts"

test("writes one commit after another, byte for byte", async () => {
  using repo = new TestRepo()
  const raws = ["one", "h\xfc two"].map((message) =>
    repo.git("cat-file", "commit", "HEAD").replace(/\n\n.*/s, `\n\n${message}\n`),
  )
  await using writer = await openCommitWriter(repo.path)
  for (const raw of raws) {
    const oid = await writer.write(raw)
    expect(repo.git("cat-file", "-t", oid)).toBe("commit")
    expect(await writeCommitObject(repo.path, raw)).toBe(oid)
  }
})

test("what is no commit is refused", async () => {
  using repo = new TestRepo()
  await using writer = await openCommitWriter(repo.path)
  await expect(writer.write("no commit")).rejects.toThrow(GitError)
})
