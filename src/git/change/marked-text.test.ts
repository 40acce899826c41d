import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../core/ids.ts"
import { gitPath } from "../start/path.ts"
import { findMarked, renameSides } from "./marked-text.ts"

const OURS = "a".repeat(40)
const conflict = (from: string) => `<<<<<<< ${OURS}${from}\no\n=======\nt\n>>>>>>> ${OURS}\n`

test("text with git's markers is found; binary files, other markers and odd names are left to closer looks", async () => {
  using repo = new TestRepo()
  repo.commit({
    marked: conflict(""),
    "d/moved": conflict(":old/name"),
    binary: Buffer.concat([Buffer.from([0]), Buffer.from(conflict(""))]),
    plain: "text\n",
    theirs: conflict("").replaceAll(OURS, "HEAD"),
    "odd name": conflict(""),
  })
  const tree = repo.tip("HEAD^{tree}") as Oid
  const find = async (...paths: string[]) => [
    ...(await findMarked(repo.path, tree, paths.map(gitPath))).keys(),
  ]
  expect(await find("marked", "d/moved", "binary", "plain", "theirs")).toEqual([
    "marked",
    "d/moved",
  ])
  expect(await find("marked", "odd name")).toEqual([])
  expect(await find("marked", "none")).toEqual([])
  expect(renameSides(conflict(":old/name"))).toBe("<<<<<<< target\no\n=======\nt\n>>>>>>> yours\n")
})
