/**
 * Reads a git patch: its files, and the hunks of each as the viewer draws them.
 *
 * We read it ourselves: a person approves what this shows, so no line of a hostile file may be taken
 * for the beginning of another one. Inside a hunk every line begins with a sign, so none can be.
 */
import type { ChangeData, HunkData } from "react-diff-view"
import { reveal } from "../../src/base/text/shown.ts"

/** A line of a hunk. `content` is for the eye, with hidden characters by number; `text` is as it is. */
export type Line = ChangeData & { readonly text: string }

export type PatchFile = {
  readonly path: string
  /** The file's mode, its old name, or that it is binary. */
  readonly notes: readonly string[]
  readonly hunks: HunkData[]
  readonly added: number
  readonly removed: number
}

export function filesOf(patch: string): PatchFile[] {
  return patch
    .split(/(?<=\n)(?=diff --git )/) // not by ^: it also matches after U+2028 in a line
    .filter(Boolean)
    .map(fileOf)
}

function fileOf(part: string): PatchFile {
  const lines = part.replace(/\n$/, "").split("\n")
  const start = lines.findIndex((line) => line.startsWith("@@"))
  const head = lines.slice(1, start < 0 ? undefined : start)
  const notes = head.filter((line) => !/^(index |--- |\+\+\+ )/.test(line))
  const hunks: HunkData[] = []
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const hunk = hunkOf(line)
    if (hunk) hunks.push(hunk)
    else if (line.startsWith("\\")) notes.push(line.slice(2))
    else addLine(hunks.at(-1), line)
  }
  const changes = hunks.flatMap((hunk) => hunk.changes)
  return {
    path: pathOf(lines[0] ?? "", head),
    notes,
    hunks,
    added: changes.filter(({ type }) => type === "insert").length,
    removed: changes.filter(({ type }) => type === "delete").length,
  }
}

/** @param named the `diff --git` line. @param head the lines up to the first hunk. */
function pathOf(named: string, head: readonly string[]): string {
  const find = (pattern: RegExp, lines: readonly string[]) =>
    lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0]
  return (
    find(/^\+\+\+ "?b\/([^]*?)"?\t?$/, head) ??
    find(/^--- "?a\/([^]*?)"?\t?$/, head) ??
    find(/^diff --git "?a\/[^]* "?b\/([^]*?)"?$/, [named]) ??
    ""
  )
}

function hunkOf(line: string): HunkData | undefined {
  const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? []
  if (!from || !to) return undefined
  const start = { oldStart: Number(from), newStart: Number(to) }
  return { content: line, ...start, oldLines: 0, newLines: 0, changes: [] }
}

/** Adds a line to its hunk. The hunk's counts so far give the line its number. */
function addLine(hunk: HunkData | undefined, line: string): void {
  if (!hunk) return
  const text = line.slice(1)
  const content = reveal(text)
  const oldLineNumber = hunk.oldStart + hunk.oldLines
  const newLineNumber = hunk.newStart + hunk.newLines
  const isInsert = line.startsWith("+")
  const isDelete = line.startsWith("-")
  if (!isInsert) hunk.oldLines++
  if (!isDelete) hunk.newLines++
  const shown: Line = isInsert
    ? { type: "insert", isInsert, lineNumber: newLineNumber, content, text }
    : isDelete
      ? { type: "delete", isDelete, lineNumber: oldLineNumber, content, text }
      : { type: "normal", isNormal: true, oldLineNumber, newLineNumber, content, text }
  hunk.changes.push(shown)
}

/** The first lines of a file, at most `count`. */
export function firstLines(hunks: readonly HunkData[], count: number): HunkData[] {
  let room = count
  return hunks.flatMap((hunk) => {
    const changes = hunk.changes.slice(0, room)
    room -= changes.length
    return changes.length > 0 ? [{ ...hunk, changes }] : []
  })
}

export const countLines = (hunks: readonly HunkData[]): number =>
  hunks.reduce((sum, { changes }) => sum + changes.length, 0)
