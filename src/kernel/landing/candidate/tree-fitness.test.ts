import { expect, test } from "vitest"
import { lookAtTree } from "./tree-fitness.ts"

const ID = "\x01".repeat(20)
const look = (name: string) =>
  lookAtTree("", `100644 ${Buffer.from(name, "utf8").toString("latin1")}\0${ID}`, 20)

const hex = (bytes: string) => Buffer.from(bytes, "latin1").toString("hex")

const GITS = [
  ...[
    ".git",
    ".GIT",
    ".Git",
    ".",
    "..",
    "git~1",
    "GIT~1",
    ".git ",
    ".git...",
    ".git. .",
    ".git::$I",
  ],
  ...["a\\.git", "a\\git~1\\b", ".g\u200cit", "\ufeff.git", ".gi\u206at"],
]
const OTHERS = [".gitignore", ".gitx", "git~2", "git~10", "x.git", ".git\u00a0", ".gitmodules"]

test("a name that is git's own on any system is told, and one that is like it is not", () => {
  expect(GITS.filter((name) => look(name).kind === "fit")).toEqual([])
  expect(OTHERS.filter((name) => look(name).kind === "unfit")).toEqual([])
})

test("folders that differ are named with what was there before", () => {
  const other = "\x02".repeat(20)
  const before = `100644 a\0${ID}40000 b\0${ID}40000 c\0${ID}`
  const after = `40000 a\0${ID}40000 b\0${other}40000 c\0${ID}`
  const folders = [
    { name: "a", before: undefined, after: hex(ID) },
    { name: "b", before: hex(ID), after: hex(other) },
  ]
  expect(lookAtTree(before, after, 20)).toEqual({ kind: "fit", folders })
  const old = `040000 b\0${ID}`
  expect(lookAtTree(old, after, 20)).toEqual({
    kind: "fit",
    folders: [...folders, { name: "c", before: undefined, after: hex(ID) }],
  })
})
