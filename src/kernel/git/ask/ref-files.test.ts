import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { areRefsFiles } from "./ref-files.ts"

test("refs are files, unless git keeps them in tables or in another place", () => {
  using repo = new TestRepo()
  const common = join(repo.path, ".git")
  expect(areRefsFiles(common)).toBe(true)
  mkdirSync(join(common, "reftable"))
  expect(areRefsFiles(common), "in tables").toBe(false)
  rmSync(join(common, "reftable"), { recursive: true })
  rmSync(join(common, "refs/heads"), { recursive: true })
  expect(areRefsFiles(common), "all of them packed").toBe(true)
  writeFileSync(join(common, "refs/heads"), "this repository stores references in /elsewhere\n")
  expect(areRefsFiles(common), "in another place").toBe(false)
})
