import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestFolder } from "../../../test/support/store.ts"
import { readHomes } from "./read-homes.ts"

test("a machine where no daemon ever ran has no homes [15.16]", () => {
  using folder = new TestFolder()
  expect(readHomes({ COPPICE_STATE: join(folder.path, "none") }, [])).toEqual({ homes: [] })
})

test("if the state directory is not a folder, the error names it and says what to change [15.16, 34.4]", () => {
  using folder = new TestFolder()
  const file = join(folder.path, "file")
  writeFileSync(file, "")
  for (const root of [file, join(file, "coppice")])
    expect(() => readHomes({ COPPICE_STATE: root }, [])).toThrow(
      expect.objectContaining({
        code: "state.unreadable",
        message: `The state of homes in ${root} cannot be read (ENOTDIR).`,
        hints: expect.arrayContaining([expect.stringMatching("COPPICE_STATE")]),
      }),
    )
})

test("skips other folders next to the homes [15.16]", () => {
  using folder = new TestFolder()
  writeFileSync(join(folder.path, "file"), "")
  mkdirSync(join(folder.path, "empty"))
  expect(readHomes({ COPPICE_STATE: folder.path }, [])).toEqual({ homes: [] })
})
