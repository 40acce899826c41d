/** Trees made by hand, which git itself would not write. */
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { listCommits } from "../../git/ask/rev-list.ts"
import { findUnfit as findUnfitIn } from "./unfit-trees.ts"

const repo = new TestRepo()
const main = repo.tip("main")
const blob = repo.tip("main:README.md")
const root = repo.tip("main^{tree}")

type Landed = { readonly target: Oid; readonly candidate: Oid }
const findUnfit = async ({ target, candidate }: Landed) => {
  const commits = await listCommits(repo.path, target, candidate)
  return await findUnfitIn(repo.path, { target, candidate, commits })
}

type Entry = readonly [mode: string, name: string, oid: string]
const raw = (entries: readonly Entry[]) =>
  Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} ${name}\0`, "utf8"),
      Buffer.from(oid, "hex"),
    ]),
  )
function write(type: "tree" | "commit", content: Buffer | string): Oid {
  const args = ["hash-object", "-t", type, "-w", "--stdin", "--literally"]
  const options = { cwd: repo.path, env: repo.env, input: content, encoding: "utf8" } as const
  return execFileSync("git", args, options).trim() as Oid
}
const byHand = (...entries: Entry[]) => write("tree", raw(entries))
const place = ([mode, name]: Entry) => Buffer.from(/^0?4\d{4}$/.test(mode) ? `${name}/` : name)
const tree = (...entries: Entry[]) =>
  byHand(...entries.toSorted((a, b) => Buffer.compare(place(a), place(b))))
const file = (name: string): Entry => ["100644", name, blob]
const readme = file("README.md")
const commit = (of: Oid, parent = main) =>
  repo.git("commit-tree", of, "-p", parent, "-m", "A1") as Oid

test("a name of git's is refused, also in a folder of a folder that is new [2.10]", async () => {
  const inside = tree(["40000", "d", tree(["40000", "e", tree(file(".git"))])], readme)
  const found = await findUnfit({ target: main, candidate: commit(inside) })
  expect(found).toBe("git could not check out the work at d/e/.git: git keeps that name for itself")
})

const ODD: readonly (readonly [what: string, tree: Oid])[] = [
  ["a link for .gitmodules", tree(["120000", ".gitmodules", blob], readme)],
  ["a link for its short name", tree(readme, ["120000", "gitmod~1", blob])],
  ["a null object id", tree(readme, ["100644", "a", "0".repeat(40)])],
  ["another order", byHand(file("b"), file("a"))],
  ["one name twice", tree(readme, file("a"), file("a"))],
  ["a file and a folder of one name", tree(readme, file("a"), file("a.b"), ["40000", "a", root])],
  ["a path for a name", tree(readme, file("a/b"))],
  ["a kind that there is not", tree(readme, ["130000", "a", blob])],
  ["a folder that is not there", tree(readme, ["40000", "a", "1".repeat(40)])],
  ["a folder that is a file", tree(readme, ["40000", "a", blob])],
  ["no tree", write("tree", "100644 a")],
]
test.each(ODD)("%s is refused [2.10]", async (_, made) => {
  const candidate = commit(made)
  expect(await findUnfit({ target: main, candidate })).toMatch(/^git could not check out/)
})

test("modes of old, and what the target holds already, are not", async () => {
  const old: Entry[] = [
    ["100664", "a", blob],
    ["040000", "b", root],
    ["40755", "c", root],
    ["120777", "d", blob],
  ]
  expect(await findUnfit({ target: main, candidate: commit(tree(...old)) })).toBe(undefined)
  const target = commit(tree(file(".git"), readme))
  const candidate = commit(tree(file(".git"), readme, file("a")), target)
  expect(await findUnfit({ target, candidate })).toBe(undefined)
  const both = tree(file(".git"), readme, file("a"))
  const work = commit(tree(readme, file("a")))
  const merged = repo.git("commit-tree", both, "-p", work, "-p", target, "-m", "merge") as Oid
  expect(await findUnfit({ target, candidate: merged })).toBe(undefined)
  const worse = tree(file(".git"), readme, file("a"), file("git~1"))
  const odd = repo.git("commit-tree", worse, "-p", work, "-p", target, "-m", "merge") as Oid
  expect(await findUnfit({ target, candidate: odd })).toContain("at git~1: ")
})

test("a target that is checked out nowhere does not move to a tree that git could not check out [2.10]", async () => {
  const odd = commit(tree(file(".git"), readme))
  using own = new TestRepo({ copyOf: repo })
  await using it = new LandingTest(own)
  own.git("checkout", "--quiet", "-b", "away")
  const worktree = own.worktree("feat")
  own.git("update-ref", "refs/heads/feat", odd)
  own.write({ "a.txt": "a" }, worktree) // committed on top, and the entry is gone again
  const landing = await it.run(it.submit({ branch: "feat", base: main }))
  expect(landing).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
  expect(landing.reason).toContain("at .git: git keeps that name for itself")
  expect(own.tip("main")).toBe(main)
})
