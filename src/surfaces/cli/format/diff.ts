/** The changes of a task as a patch, as numbers, or as file names. */

import type { DiffDocument } from "../../../api/wire/landings.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { reveal } from "../../../base/text/shown.ts"
import type { Output, Style } from "../output.ts"
import { formatTable } from "./table.ts"
import { plural } from "./text.ts"

export type DiffView = "patch" | "stat" | "names"

type RepoDiff = DiffDocument["repos"][number]

export const repoName = (output: Output, { name }: RepoDiff): string =>
  output.paint("bold", oneLine(name))

export function diffNotes(repo: RepoDiff): string[] {
  const { path, from, to, uncommitted, conflicts, notices, truncated } = repo
  return [
    ...notices.map(oneLine),
    ...(uncommitted.length > 0 ? [`With ${plural(uncommitted.length, "uncommitted file")}.`] : []),
    ...conflicts.map((conflict) => `conflict: ${oneLine(conflict.path)} (${conflict.kind})`),
    ...(truncated ? [`Cut; all of it: git -C ${shellWord(oneLine(path))} diff ${from} ${to}`] : []),
  ]
}

export function diffLines(output: Output, repo: RepoDiff, view: DiffView): string[] {
  if (view === "names") return withRest(repo, names(repo))
  if (view === "stat") return withRest(repo, stat(output, repo))
  const cut = repo.truncated ? ["… (cut)"] : []
  if (output.columns === undefined) return [...patchLines(repo), ...cut] // byte for byte, for a program
  return [...shownLines(output, repo), ...cut]
}

const patchLines = ({ text }: RepoDiff): string[] =>
  text === "" ? [] : text.replace(/\n$/, "").split("\n")

/** The patch for a person's eyes. */
export const shownLines = (output: Output, repo: RepoDiff): string[] =>
  patchLines(repo).map((line) => paintLine(output, reveal(line)))

const names = ({ files }: RepoDiff): string[] => files.map(({ path }) => oneLine(path))

function stat(output: Output, { files }: RepoDiff): string[] {
  const rows = files.map(({ path, oldPath, status, added, removed }) => {
    const isBinary = added === null || removed === null
    const figures = isBinary
      ? "binary"
      : `${output.paint("green", `+${added}`)} ${output.paint("red", `-${removed}`)}`
    const from = oldPath === null ? "" : `${oneLine(oldPath)} → `
    return [status, `${from}${oneLine(path)}`, figures]
  })
  return formatTable(rows)
}

function withRest({ files, filesInAll }: RepoDiff, lines: string[]): string[] {
  const rest = filesInAll - files.length
  return rest > 0 ? [...lines, `… ${plural(rest, "more file")} (cut)`] : lines
}

const STYLES: readonly (readonly [RegExp, Style])[] = [
  [/^(diff|index|---|\+\+\+) /, "bold"],
  [/^@@/, "cyan"],
  [/^\+/, "green"],
  [/^-/, "red"],
]

function paintLine(output: Output, line: string): string {
  const style = STYLES.find(([pattern]) => pattern.test(line))?.[1]
  return style ? output.paint(style, line) : line
}
