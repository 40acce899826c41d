/** Parses a git patch into files, and each file into the rows to show. */

export type Row = {
  /** Its index among its file's rows. */
  readonly at: number
  readonly kind: "add" | "del" | "hunk" | "same" | "note"
  readonly text: string
  readonly number: number | undefined
}
type File = { readonly path: string; readonly rows: readonly Row[] }

/** A browser is slow with more. */
const ROWS_MAX = 5_000

export function filesOf(patch: string): File[] {
  const parts = patch.split(/^(?=diff --git )/m).filter(Boolean)
  let room = ROWS_MAX
  return parts.map((part) => {
    const rows = rowsOf(part).slice(0, room)
    room -= rows.length
    return { path: pathOf(part), rows }
  })
}

function pathOf(part: string): string {
  const [, after] = /^\+\+\+ "?b\/(.*?)"?\t?$/m.exec(part) ?? []
  const [, before] = /^--- "?a\/(.*?)"?\t?$/m.exec(part) ?? []
  const [, named] = /^diff --git "?a\/.* "?b\/(.*?)"?$/m.exec(part) ?? []
  return after ?? before ?? named ?? ""
}

/** Header lines become notes, except the `diff`, `index`, `---` and `+++` lines. */
function rowsOf(part: string): Row[] {
  const lines = part.replace(/\n$/, "").split("\n")
  const start = lines.findIndex((line) => line.startsWith("@@"))
  const head = lines.slice(1, start < 0 ? undefined : start)
  const notes = head.filter((line) => !/^(index |--- |\+\+\+ )/.test(line))
  const rows: Row[] = []
  const add = (kind: Row["kind"], text: string, number?: number) =>
    rows.push({ at: rows.length, kind, text, number })
  for (const note of notes) add("note", note)
  let before = 0
  let after = 0
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? []
    const text = line.slice(1)
    if (from) {
      before = Number(from)
      after = Number(to)
      add("hunk", line)
    } else if (line.startsWith("+")) add("add", text, after++)
    else if (line.startsWith("-")) add("del", text, before++)
    else if (line.startsWith("\\")) add("note", line)
    else {
      add("same", text, after++)
      before += 1
    }
  }
  return rows
}
