import { existsSync, realpathSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, test } from "vitest"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { readCommitSettings } from "../ask/settings.ts"
import { isolateMerges, readAttributes } from "./merge-isolation.ts"
import { mergeTree } from "./merge-tree.ts"

const lines = (changed: string, at = 5) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => (n === at ? changed : `l${n}`)).join("\n")
const bytes = (n: number) => Buffer.from([0, n, 0, n])

/** Two branches off one base; leaves `ours` checked out. */
function diverge(repo: TestRepo, base: Files, ours: Files, theirs: Files) {
  const start = repo.commit(base)
  repo.git("checkout", "--quiet", "-b", "theirs")
  const theirTip = repo.commit(theirs)
  repo.git("checkout", "--quiet", "-b", "ours", start)
  return { base: start, ours: repo.commit(ours), theirs: theirTip }
}

async function merge(
  repo: TestRepo,
  sides: { base: Oid; ours: Oid; theirs: Oid },
  cwd = repo.path,
) {
  const { drivers } = await readCommitSettings(cwd)
  await using isolation = await isolateMerges(cwd, await readAttributes(cwd, sides.ours), drivers)
  const oursTree = repo.tip(`${sides.ours}^{tree}`)
  return await mergeTree(cwd, { ...sides, oursTree }, isolation)
}

test("merges what does not touch, and moves nothing", async () => {
  using repo = new TestRepo()
  const base = { f: lines("l5") }
  const sides = diverge(repo, base, { f: lines("o", 1) }, { f: lines("t", 9), n: "new" })
  const result = await merge(repo, sides)
  if (result.kind !== "clean") throw new Error("conflict")
  expect(repo.git("show", `${result.tree}:f`)).toBe(lines("t", 9).replace("l1", "o"))
  expect(repo.git("ls-tree", "--name-only", result.tree)).toBe("README.md\nf\nn")
  expect(repo.git("status", "--porcelain")).toBe("")
})

test("picks one commit of several, without those before it", async () => {
  using repo = new TestRepo()
  const sides = diverge(repo, { a: "1", b: "1" }, { c: "1" }, { a: "2" })
  repo.git("checkout", "--quiet", "theirs")
  const second = repo.commit({ b: "2" })
  const result = await merge(repo, { base: sides.theirs, ours: sides.ours, theirs: second })
  if (result.kind !== "clean") throw new Error("conflict")
  expect(repo.git("show", `${result.tree}:a`)).toBe("1")
  expect(repo.git("show", `${result.tree}:b`)).toBe("2")
})

test("a rename on one side takes the other side's edit along", async () => {
  using repo = new TestRepo()
  repo.git("config", "merge.renames", "false")
  const f = lines("l5")
  const result = await merge(repo, diverge(repo, { f }, { f: lines("o", 2) }, { f: null, g: f }))
  if (result.kind !== "clean") throw new Error("conflict")
  expect(repo.git("show", `${result.tree}:g`)).toBe(lines("o", 2))
})

test("tells every kind of conflict, with its path and stages", async () => {
  using repo = new TestRepo()
  const base = {
    f: lines("l5"),
    "b.bin": bytes(1),
    gone: lines("g"),
    old: lines("x"),
    "ü d/v": "v",
  }
  const ours = {
    f: lines("o"),
    "b.bin": bytes(2),
    gone: null,
    old: null,
    o: lines("x"),
    "fd/x": "x",
  }
  const theirs = {
    f: lines("t"),
    "b.bin": bytes(3),
    gone: lines("h"),
    old: null,
    t: lines("x"),
    fd: "fd",
  }
  const sides = diverge(
    repo,
    base,
    { ...ours, "ü d/v": "o", "new\n": "o" },
    { ...theirs, "ü d/v": "t", "new\n": "t" },
  )
  const result = await merge(repo, sides)
  if (result.kind !== "conflict") throw new Error("clean")
  const kinds = Object.fromEntries(
    (await result.readConflicts()).map(({ path, kind }) => [path, kind]),
  )
  expect(kinds).toEqual({
    f: "content",
    "b.bin": "binary",
    gone: "modify/delete",
    old: "rename/rename",
    o: "rename/rename",
    t: "rename/rename",
    fd: "file/directory",
    "\xc3\xbc d/v": "content",
    "new\n": "content",
  })
  const conflict = (await result.readConflicts()).find(({ path }) => path === "gone")
  expect(conflict?.stages).toEqual([
    { stage: 1, mode: "100644", oid: repo.tip(`${sides.base}:gone`) },
    { stage: 3, mode: "100644", oid: repo.tip(`${sides.theirs}:gone`) },
  ])
  expect(conflict?.messages).toContain("gone")
})

test("attributes are those of the tip, wherever they lie, not those of the checkout", async () => {
  using repo = new TestRepo()
  const attributes = {
    ".gitattributes": "top merge=union\n",
    "d/.gitattributes": "f merge=union\n",
  }
  const sides = diverge(
    repo,
    { top: "1\n", "d/f": "1\n" },
    { top: "1\no\n", "d/f": "1\no\n", ...attributes },
    { top: "1\nt\n", "d/f": "1\nt\n" },
  )
  repo.git("checkout", "--quiet", sides.base)
  repo.write({ ".gitattributes": "* -merge\n" })
  const result = await merge(repo, sides)
  if (result.kind !== "clean") throw new Error("conflict")
  expect(repo.git("show", `${result.tree}:d/f`)).toBe("1\no\nt")
  expect(repo.git("show", `${result.tree}:top`)).toBe("1\no\nt")
})

test("works in a bare repository and in a linked worktree", async () => {
  using repo = new TestRepo()
  const union = { ".gitattributes": "f merge=union\n" }
  const sides = diverge(repo, { f: "1\n" }, { f: "1\no\n", ...union }, { f: "1\nt\n" })
  const places = [repo.clone("bare.git", "--bare", "--no-local"), repo.worktree("w", sides.base)]
  for (const cwd of places) expect((await merge(repo, sides, cwd)).kind).toBe("clean")
})

test("runs no configured driver: a file that needs one is a conflict", async () => {
  using repo = new TestRepo()
  const ran = join(repo.folder, "ran")
  repo.git("config", "merge.My.Drv.driver", `touch '${ran}'`)
  repo.git("config", "merge.default", "My.Drv")
  const attributes = { ".gitattributes": "f merge=My.Drv\n" }
  const sides = diverge(
    repo,
    { f: lines("l5"), g: lines("l5"), ...attributes },
    { f: lines("o", 1), g: lines("o", 1) },
    { f: lines("t", 9), g: lines("t", 9) },
  )
  const result = await merge(repo, sides)
  if (result.kind !== "conflict") throw new Error("clean")
  expect((await result.readConflicts()).map(({ path }) => path)).toEqual(["f"])
  expect(existsSync(ran)).toBe(false)
})

test("a tree made by hand cannot have files written outside the scratch folder", async () => {
  using repo = new TestRepo()
  const blob = repo.tip("HEAD:README.md")
  const folder = makeTree(repo, `100644 .gitattributes\0`, blob)
  const beside = makeTree(repo, `40000 ${basename(repo.folder)}\0`, folder)
  const above = makeTree(repo, "40000 ..\0", beside)
  const evil = makeTree(repo, "40000 ..\0", above)
  const tip = repo.git("commit-tree", evil, "-m", "evil") as Oid
  await using isolation = await isolateMerges(repo.path, await readAttributes(repo.path, tip), [])
  expect(realpathSync(dirname(dirname(isolation.folder)))).toBe(dirname(repo.folder))
  expect(existsSync(join(repo.folder, ".gitattributes"))).toBe(false)
})

/** A tree object of one entry, unchecked. */
function makeTree(repo: TestRepo, entry: string, oid: string): string {
  const file = join(repo.folder, "tree")
  writeFileSync(file, Buffer.concat([Buffer.from(entry), Buffer.from(oid, "hex")]))
  return repo.git("hash-object", "-t", "tree", "--literally", "-w", file)
}
