/**
 * Tells whether lines that the work removed in one file stand in another: then it moved them, as when a file is
 * split, and did not drop them. Only lines are compared, so the answer is yes only where each of them is there.
 */
import type { Oid } from "../../../base/ids.ts"
import { readDiff } from "../../git/ask/diff-tree.ts"

/** A move is small. A longer patch is not read to its end, and shows nothing. */
const BYTES_MAX = 1024 * 1024

type Trees = {
  /** The commit that has all of the gain. */
  readonly to: Oid
  readonly commit: Oid
  /** The tree of `commit` with what it lacks. */
  readonly whole: Oid
}

/** Whether `whole` only adds lines to `commit`, and `commit` has each of them as often as `to`. */
export async function isMovedElsewhere(
  cwd: string,
  { to, commit, whole }: Trees,
): Promise<boolean> {
  const lacked = await readFiles(cwd, commit, whole)
  const isOnlyMore = lacked?.every(
    ({ added, removed, isText }) => added[0] && !removed[0] && isText,
  )
  if (!lacked || !isOnlyMore) return false
  const work = await readFiles(cwd, to, commit)
  if (!work) return false
  const net = new Map<string, number>()
  const note = (lines: readonly string[], n: number) => {
    for (const line of lines) net.set(line, (net.get(line) ?? 0) + n)
  }
  for (const { added, removed } of work) {
    note(added, 1)
    note(removed, -1)
  }
  return lacked.every(({ added }) => added.every((line) => (net.get(line) ?? 0) >= 0))
}

type FileLines = {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** The file differs in nothing but lines. */
  readonly isText: boolean
}

/** @returns undefined if there is too much to read. */
async function readFiles(cwd: string, from: Oid, to: Oid): Promise<FileLines[] | undefined> {
  const { text, truncated } = await readDiff(cwd, { from, to, bytesMax: BYTES_MAX })
  if (truncated) return undefined
  return text
    .split(/^diff --git /m)
    .slice(1)
    .map((file) => {
      const [head = "", ...hunks] = file.split(/^@@ .*$/m)
      const lines = hunks.join("").split("\n")
      const isText = hunks.length > 0 && !/^(old mode|rename|deleted) /m.test(head)
      return { added: wordsAfter("+", lines), removed: wordsAfter("-", lines), isText }
    })
}

/** Without indentation, which changes in a move, and without lines that have no words. */
const wordsAfter = (sign: string, lines: readonly string[]): string[] =>
  lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1).trim())
    .filter((line) => /\w/.test(line))
