import { execFileSync } from "node:child_process"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { isolateMerges, readAttributes } from "../../git/change/merge-isolation.ts"
import { mergeTree } from "../../git/change/merge-tree.ts"
import type { ConflictFacts } from "../prompts/hand-back.ts"
import { conflictFacts } from "./conflict.ts"

const lines = (l5: string) => `l1\nl2\nl3\nl4\n${l5}\nl6\nl7\nl8\nl9\n`
const numbers = (from: number) => Array.from({ length: 20 }, (_, n) => `${from + n}\n`).join("")
const bytes = (n: number) => Buffer.from([0, n, 0, n])

type Make = (repo: TestRepo) => void
const write =
  (files: Files): Make =>
  (repo) =>
    repo.write(files)
const link =
  (path: string, target: string): Make =>
  (repo) => {
    rmSync(join(repo.path, path), { force: true })
    symlinkSync(target, join(repo.path, path))
  }
const git =
  (...args: string[]): Make =>
  (repo) =>
    void repo.git(...args)
const module = (oid: string) =>
  git("update-index", "--add", "--cacheinfo", `160000,${oid.repeat(40)},s`)

/** The facts of a conflict between what the target and what the task made of `base`. */
async function facts(base: Make, target: Make, yours: Make): Promise<ConflictFacts> {
  using repo = new TestRepo()
  const commit = (make: Make, message: string) => {
    repo.git("reset", "--quiet", "--hard")
    make(repo)
    const staged = repo.git("ls-files", "--stage").includes("160000")
    if (!staged) repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", message)
    return repo.tip("HEAD")
  }
  const start = commit(base, "base")
  repo.git("checkout", "--quiet", "-b", "feat")
  const head = commit(yours, "by the task")
  repo.git("checkout", "--quiet", "--force", "main")
  const onto = commit(target, "on the target")
  await using isolation = await isolateMerges(repo.path, await readAttributes(repo.path, onto), [])
  const sides = { base: start, oursTree: repo.tip("main^{tree}"), theirs: head }
  const merged = await mergeTree(repo.path, sides, isolation)
  if (merged.kind === "clean") throw new Error("clean")
  return await conflictFacts(repo.path, {
    ...merged,
    base: start,
    head,
    target: onto,
  })
}

const F = write({ f: lines("l5") })
const G = write({ f: lines("l5"), g: numbers(1) })

test.each<[string, Make, Make, Make, string[]]>([
  [
    "content",
    F,
    write({ f: lines("t") }),
    write({ f: lines("y") }),
    ["f content: changed on both sides"],
  ],
  [
    "content, added",
    G,
    write({ n: "t\n" }),
    write({ n: "y\n" }),
    ["n content: added on both sides"],
  ],
  [
    "modify/delete",
    F,
    write({ f: null, x: "x" }),
    write({ f: lines("y") }),
    ["f modify/delete: deleted on the target, changed by the task"],
  ],
  [
    "delete/modify",
    F,
    write({ f: lines("t") }),
    write({ f: null, x: "x" }),
    ["f modify/delete: changed on the target, deleted by the task"],
  ],
  [
    "rename/rename",
    F,
    git("mv", "f", "a"),
    git("mv", "f", "b"),
    [
      "a rename/rename: only the target has it",
      "b rename/rename: only the task has it",
      "f rename/rename: moved or deleted on both sides",
    ],
  ],
  [
    "rename/rename to one name",
    G,
    git("mv", "f", "n"),
    git("mv", "g", "n"),
    ["n content: added on both sides"],
  ],
  [
    "rename/delete",
    F,
    git("mv", "f", "n"),
    write({ f: null, x: "x" }),
    ["f rename/delete", "n rename/delete: changed on the target, deleted by the task"],
  ],
  [
    "rename of a folder",
    write({ "d/f": lines("l5"), "d/g": numbers(1) }),
    git("mv", "d", "e"),
    write({ "d/new": numbers(50) }),
    ["d/new rename", "e/new rename: only the task has it"],
  ],
  [
    "binary",
    write({ f: bytes(1) }),
    write({ f: bytes(2) }),
    write({ f: bytes(3) }),
    ["f binary: changed on both sides"],
  ],
  [
    "symlink",
    link("f", "x"),
    link("f", "there"),
    link("f", "here"),
    ["f symlink: changed on both sides"],
  ],
  [
    "mode",
    G,
    (repo) => {
      repo.write({ n: "n\n" })
      repo.git("add", "n")
      repo.git("update-index", "--chmod=+x", "n")
      repo.git("config", "core.fileMode", "false")
    },
    write({ n: "n\n" }),
    ["n mode: added on both sides"],
  ],
  ["type", F, link("f", "x"), write({ f: lines("y") }), ["f type: changed on both sides"]],
  [
    "file/directory",
    G,
    write({ "p/x": "x" }),
    write({ p: "y" }),
    ["p file/directory: only the task has it"],
  ],
  ["submodule", module("1"), module("2"), module("3"), ["s submodule: changed on both sides"]],
])(
  "a conflict of %s is reported with its kind, and with each side's changes [23.1]",
  async (_, base, target, yours, told) => {
    const { paths, more } = await facts(base, target, yours)
    const said = paths.map(({ path, kind, sides }) => `${path} ${kind}${sides && `: ${sides}`}`)
    expect(said.sort()).toEqual(told)
    expect(more).toBe(0)
  },
)

test("conflict hunks name their sides; for links and submodules, each side's target is shown [23.1]", async () => {
  const content = await facts(F, write({ f: lines("t") }), write({ f: lines("y") }))
  expect(content.paths[0]?.hunks).toBe("<<<<<<< target\nt\n=======\ny\n>>>>>>> yours")
  expect(content.theirs).toEqual([expect.stringMatching(/^[0-9a-f]+ on the target$/)])
  expect(content.ours).toEqual([expect.stringMatching(/^[0-9a-f]+ by the task$/)])
  const links = await facts(link("f", "x"), link("f", "there"), link("f", "here"))
  expect(links.paths[0]?.hunks).toBe("base: x\ntarget: there\nyours: here")
  const modules = await facts(module("1"), module("2"), module("3"))
  expect(modules.paths[0]?.hunks).toContain(`yours: ${"3".repeat(40)}`)
})

test("the report is bounded for many files, long hunks and large files [23.1]", async () => {
  const many = (side: string): Files =>
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, `${side}\n`.repeat(400)]))
  const large = (side: string) => `${side}\n`.repeat(700_000)
  const { paths, more } = await facts(
    write({ ...many("base"), "a-large": large("b") }),
    write({ ...many("their"), "a-large": large("t") }),
    write({ ...many("your"), "a-large": large("y") }),
  )
  expect([paths.length, more]).toEqual([50, 11])
  expect(paths[0]).toMatchObject({ path: "a-large", kind: "content", hunks: "" })
  expect(paths[1]?.hunks.length).toBeLessThan(4_100)
  const total = paths.reduce((sum, { hunks }) => sum + hunks.length, 0)
  expect(total).toBeLessThan(30_000)
})

test("names and contents that are not UTF-8 are reported without a failure [23.1]", async () => {
  const odd =
    (text: Buffer): Make =>
    (repo) => {
      const run = (args: string[], input: Buffer) =>
        execFileSync("git", args, { cwd: repo.path, env: repo.env, input }).toString().trim()
      const blob = run(["hash-object", "-w", "--stdin"], text)
      const entry = Buffer.concat([
        Buffer.from(`100644 ${blob}\t`),
        Buffer.from([0xff, 0x0a, 0x61, 0]),
      ])
      run(["update-index", "-z", "--index-info"], entry)
      const tree = repo.git("write-tree")
      repo.git(
        "reset",
        "--quiet",
        "--soft",
        repo.git("commit-tree", tree, "-p", "HEAD", "-m", "odd"),
      )
      repo.git("config", "core.protectNTFS", "false")
    }
  using repo = new TestRepo()
  const at = (text: string) => {
    odd(Buffer.from(text, "latin1"))(repo)
    return repo.tip("HEAD")
  }
  const base = at("1\n\xe4\n")
  const head = at("1\nyours\xe4\n")
  repo.git("reset", "--quiet", "--soft", base)
  const target = at("1\ntheirs\xe4\n")
  await using isolation = await isolateMerges(
    repo.path,
    await readAttributes(repo.path, target),
    [],
  )
  const oursTree = repo.tip(`${target}^{tree}`)
  const merged = await mergeTree(repo.path, { base, oursTree, theirs: head }, isolation)
  if (merged.kind === "clean") throw new Error("clean")
  const { paths, ours } = await conflictFacts(repo.path, {
    ...merged,
    base,
    head,
    target,
  })
  expect(paths).toMatchObject([{ path: "\\xff\\x0aa", kind: "content" }])
  expect(paths[0]?.hunks).toContain("yours\ufffd")
  expect(ours).toHaveLength(1)
})
