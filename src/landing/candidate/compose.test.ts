import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { afterAll, expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../core/ids.ts"
import { writeObjects } from "../../git/objects/object-writer.ts"
import { composeTrees, type Meeting } from "./compose.ts"
import { type Narrow, narrow, widen } from "./narrow.ts"

const repo = new TestRepo({ commit: false })
afterAll(() => repo[Symbol.dispose]())

/** Always the same, because git 2.39 dies of a few histories (an assertion of its merge). */
const SEED = 2
/** Few names, so that sides meet, files become folders, and folders move as a whole. Bytes, not text. */
const PATHS = ["a", "b", "a/x", "b/x", "b/y", "b/c/x", "b/c/y", "b.c", "d/x", "d/y", "d/e/x"]
const ODD_PATHS = ["A", "b/X", "b/\xff", "d/\xe9/x", "d-", "d/e.x", "d/e\x01"]
/** Few contents, so that git finds renames. */
const CONTENTS = ["one", "two", "three"].map((word) => `${word}\n`.repeat(20))
/** Some that merge cleanly. */
const EDITED = CONTENTS.flatMap((text) => [`${text}end\n`, `start\n${text}`])
const FILES = [...CONTENTS, ...EDITED].flatMap((text) => [
  `100644 ${text}`,
  `100644 ${text}`,
  `100755 ${text}`,
])
const LINKS = ["120000 a", `160000 ${"1".repeat(40)}`, `160000 ${"2".repeat(40)}`]

const edit = fc.record({
  path: fc.constantFrom(...PATHS, ...PATHS, ...ODD_PATHS),
  to: fc.option(fc.constantFrom(...PATHS, ...ODD_PATHS, ...PATHS.map((path) => `new/${path}`))),
  /** With its mode. */
  content: fc.constantFrom(...FILES, ...LINKS, null),
})
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** A file or a folder put elsewhere, or one written or removed. */
function apply(files: Readonly<Record<string, string>>, { path, to, content }: Edit) {
  const next = new Map(Object.entries(files))
  const clear = (place: string) => {
    for (const other of next.keys())
      if (`${other}/`.startsWith(`${place}/`) || place.startsWith(`${other}/`)) next.delete(other)
  }
  if (to !== null) {
    const moved = [...next].filter(([other]) => `${other}/`.startsWith(`${path}/`))
    for (const [other] of moved) next.delete(other)
    for (const [other, text] of moved) {
      clear(`${to}${other.slice(path.length)}`)
      next.set(`${to}${other.slice(path.length)}`, text)
    }
  } else {
    clear(path)
    if (content !== null) next.set(path, content)
  }
  return Object.fromEntries(next)
}

/** So that both sides often change the same file, and nothing else. */
const rewrite = fc.record({
  path: fc.constantFrom("a", "b/x", "b/y", "d/e/x"),
  to: fc.constant(null),
  content: fc.constantFrom(...FILES),
})
const edits = fc.array(fc.oneof(edit, rewrite), { minLength: 1, maxLength: 3 })

const histories = fc.record({
  base: fc.array(fc.oneof(edit, rewrite), { minLength: 4, maxLength: 12 }),
  target: edits,
  task: edits,
})
type Histories = typeof histories extends fc.Arbitrary<infer Value> ? Value : never
type Snapshot = { readonly files: Readonly<Record<string, string>>; readonly parent?: number }

/** @returns the commits, and their trees, in the order given; a parent is an earlier one's number. */
function commitAll(snapshots: readonly Snapshot[]): { commits: Oid[]; trees: Oid[] } {
  const parts = snapshots.map(({ files, parent }, n) => {
    const from = parent === undefined ? "" : `from :${parent + 1}\n`
    const changes = Object.entries(files).map(([path, file]) => {
      const [mode, text] = [file.slice(0, 6), file.slice(7)]
      if (mode === "160000") return `M ${mode} ${text} ${path}\n`
      return `M ${mode} inline ${path}\ndata ${text.length}\n${text}\n`
    })
    const who = "committer a <a@example.com> 0 +0000"
    const head = `commit refs/made/${n}\nmark :${n + 1}\n${who}\ndata 0\n${from}deleteall\n`
    return `${head}${changes.join("")}\n`
  })
  run(["fast-import", "--quiet", "--force"], parts.join(""))
  const format = "--format=%(refname:lstrip=2) %(objectname) %(tree)"
  const lines = run(["for-each-ref", format, "refs/made"], "").trim().split("\n")
  const told = lines.map((line) => line.split(" ")).sort(([a], [b]) => Number(a) - Number(b))
  return {
    commits: told.map(([, oid]) => oid as Oid),
    trees: told.map(([, , tree]) => tree as Oid),
  }
}

type Merged = { readonly tree: string | undefined; readonly said: string }

/** What git makes of each: a tree, or what it says of the conflicts. */
function mergeAll(pairs: readonly (readonly [Oid, Oid])[]): Merged[] {
  const settings = ["-c", "merge.directoryRenames=conflict", "-c", "merge.renames=true"]
  const input = pairs.map((pair) => `${pair.join(" ")}\n`).join("")
  const said = run([...settings, "merge-tree", "--write-tree", "--stdin"], input)
  // A record begins with 1 or 0 and a tree; nothing else in it is a tree's name alone.
  const heads = [...said.matchAll(/(?<=^|\0)([01])\0([0-9a-f]{40})\0/g)]
  return heads.map(({ index, 0: head, 1: isClean, 2: tree }, n) => {
    const rest = said.slice(index + head.length, heads[n + 1]?.index)
    return isClean === "1" ? { tree, said: "" } : { tree: undefined, said: rest }
  })
}

function run(args: readonly string[], input: string): string {
  const options = {
    cwd: repo.path,
    env: repo.env,
    input: Buffer.from(input, "latin1"),
    maxBuffer: 2 ** 28,
  }
  return execFileSync("git", args, options).toString("latin1")
}

/** The commits and trees of histories at random. */
function makeCases(samples: readonly Histories[]) {
  const snapshots: Snapshot[] = []
  const add = (snapshot: Snapshot) => snapshots.push(snapshot) - 1
  const cases = samples.map(({ base, target, task }) => {
    const files = base.reduce(apply, { keep: "100644 k\n" })
    const first = add({ files })
    const onto = add({ files: target.reduce(apply, files), parent: first })
    let [now, tip] = [files, first]
    const theirs = task.map((one) => {
      now = apply(now, one)
      tip = add({ files: now, parent: tip })
      return tip
    })
    return { first, onto, theirs }
  })
  const { commits, trees } = commitAll(snapshots)
  const sides = cases.map(({ first, onto, theirs }) => ({
    base: trees[first]!,
    onto: trees[onto]!,
    theirs: theirs.map((n) => trees[n]!),
  }))
  const pairs = cases.map(({ onto, theirs }) =>
    theirs.map((their) => [commits[onto]!, commits[their]!] as const),
  )
  return { sides, pairs }
}

type Met = {
  readonly meeting: Meeting
  readonly narrow: Narrow
  readonly expected: readonly Merged[]
  readonly about: string
}

/** The files alone that both sides have changed give what the whole gives, conflicts and all. */
async function expectSame(all: readonly Met[]): Promise<void> {
  const pairs = all.map(({ narrow: { onto, commits } }) =>
    commits.map(({ oid }) => [onto.oid, oid] as const),
  )
  const merged = mergeAll(pairs.flat())
  for (const { meeting, narrow: found, expected, about } of all) {
    const own = merged.splice(0, found.commits.length)
    for (const [n, count] of found.counts.entries()) {
      if (count === 0) continue
      expect(own[count - 1]?.tree === undefined, about).toBe(expected[n]?.tree === undefined)
      expect(own[count - 1]?.said, about).toBe(expected[n]?.said)
    }
    const trees = own.flatMap(({ tree }) => (tree ?? []) as Oid | [])
    const wide = async (some: readonly Oid[]) =>
      (await widen(repo.path, { meeting, ...found }, some))?.trees
    if (trees.length === own.length)
      expect(await wide(trees), about).toEqual(expected.map(({ tree }) => tree))
    const whole = own.at(-1)?.tree
    if (whole) expect((await wide([whole as Oid]))?.at(-1), about).toBe(expected.at(-1)?.tree)
  }
}

test("where the sides are apart, or change the same files, it comes to what git makes of the whole", async () => {
  const seed = Number(process.env["SEED"] ?? SEED)
  const samples = fc.sample(histories, { numRuns: Number(process.env["RUNS"] ?? 300), seed })
  repo.write({ ".gitattributes": "b/y merge=union\nd/x -merge\n" })
  const { sides, pairs } = makeCases(samples)
  const merged = mergeAll(pairs.flat())
  expect(merged).toHaveLength(pairs.flat().length)
  const met: Met[] = []
  let apart = 0
  for (const [n, side] of sides.entries()) {
    const composed = await composeTrees(repo.path, side)
    const expected = merged.splice(0, side.theirs.length)
    const about = `seed ${seed}, ${JSON.stringify(samples[n])}`
    if (composed?.kind === "apart") {
      apart++
      await writeObjects(repo.path, composed.objects, { isPlainStore: true })
      expect(composed.trees, about).toEqual(expected.map(({ tree }) => tree))
    } else if (composed) {
      const found = narrow(composed, side.base)
      await writeObjects(repo.path, found.objects, { isPlainStore: true })
      met.push({ meeting: composed, narrow: found, expected, about })
    }
  }
  await expectSame(met)
  if (process.env["RUNS"]) console.log({ apart, met: met.length })
  expect(apart).toBeGreaterThan(samples.length / 10)
  expect(met.length).toBeGreaterThan(samples.length / 30)
  expect(run(["fsck", "--no-dangling", "--no-progress"], "")).toBe("")
})

test("where thousands of entries differ it is left to git, which lets everything else go on", async () => {
  const write = (content: string) =>
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, `100644 ${content}`]))
  const files = write("base")
  const edited = [..."abcdefghijklmn"].map((letter) => ({ files: write(letter), parent: 0 }))
  const onto = { files: { ...files, other: "100644 o" }, parent: 0 }
  const { trees } = commitAll([{ files }, onto, ...edited])
  const sides = { base: trees[0]!, onto: trees[1]! }
  const composed = (commits: number) =>
    composeTrees(repo.path, { ...sides, theirs: trees.slice(2, 2 + commits) })
  expect(await composed(13)).toMatchObject({ kind: "apart" })
  expect(await composed(14)).toBe(undefined)
})
