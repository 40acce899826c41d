import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../core/ids.ts"
import { gitPath } from "../path.ts"
import { areShort, findMarked, renameSides } from "./marked-text.ts"

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
  const findIf = async (isShort: boolean, paths: string[]) =>
    [...(await findMarked(repo.path, { tree, isShort }, paths.map(gitPath)))].map(([path]) => path)
  const find = async (...paths: string[]) => {
    const found = await findIf(false, paths)
    expect(await findIf(true, paths)).toEqual(found)
    return found
  }
  expect(await find("marked", "d/moved", "binary", "plain", "theirs")).toEqual([
    "marked",
    "d/moved",
  ])
  expect(await find("marked", "odd name")).toEqual([])
  expect(await findIf(false, ["marked", "none"])).toEqual([])
  expect(renameSides(conflict(":old/name"))).toBe("<<<<<<< target\no\n=======\nt\n>>>>>>> yours\n")
})

test("what is merged is short where its sides are, and all of them are there", async () => {
  using repo = new TestRepo()
  repo.commit({ short: "s\n", long: "long\n".repeat(30_000) })
  const [short, long] = [repo.tip("HEAD:short"), repo.tip("HEAD:long")]
  const none = "1".repeat(40) as Oid
  expect(await areShort(repo.path, [short, short])).toBe(true)
  expect(await areShort(repo.path, [short, long])).toBe(false)
  expect(await areShort(repo.path, [short, none])).toBe(false)
})
