import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { gitPath } from "../start/git-path.ts"
import { readFiltered } from "./cat-file.ts"

test("gives what a checkout writes, also of a file that is larger than git's answers may be", async () => {
  using repo = new TestRepo()
  const text = "a line\n"
  const huge = Buffer.alloc(65 * 1024 * 1024, text)
  repo.write({ ".gitattributes": "*.txt text eol=crlf\nhuge -text\n", "a.txt": text, huge })
  const oid = (path: string) => repo.git("hash-object", "-w", path) as Oid
  const crlf = await readFiltered(repo.path, oid("a.txt"), gitPath("a.txt"))
  expect(crlf.toString()).toBe("a line\r\n")
  const read = await readFiltered(repo.path, oid("huge"), gitPath("d/hügé\n"))
  expect(read.equals(huge)).toBe(true)
})
