import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { readEntries, seal } from "./index-entries.ts"

const NAME_AT = 12 + 62

test("an index whose entries do not end is left to git, whatever its own hash says", () => {
  using repo = new TestRepo()
  const bytes = readFileSync(join(repo.path, ".git/index"))
  expect(readEntries(bytes)).toMatchObject([{ path: "README.md" }])
  expect(readEntries(bytes.subarray(0, 6)), "hardly begun").toBeUndefined()
  bytes.writeUInt32BE(1_000, 8)
  seal(bytes)
  expect(readEntries(bytes), "more entries than there is room for").toBeUndefined()
  bytes.fill("a", NAME_AT)
  seal(bytes)
  expect(readEntries(bytes), "a name without an end").toBeUndefined()
})
