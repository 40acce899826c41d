/** A patch from git, file by file, as text with line numbers, and comments below its lines. */
import { memo, useId, useMemo } from "react"
import { reveal } from "../../src/core/shown.ts"
import { type Comment, isAt, type Place } from "./comments.ts"

type Row = {
  /** Its place in the part of its file. */
  readonly at: number
  readonly kind: "add" | "del" | "hunk" | "same" | "note"
  readonly text: string
  readonly number: number | undefined
}
type File = { readonly path: string; readonly rows: readonly Row[] }

/** Changes of comments; the same object in every rendering. */
type Commenting = {
  put(comment: Comment): void
  remove(comment: Comment): void
}
type PatchProps = {
  readonly text: string
  readonly repo: string
  readonly comments: readonly Comment[]
  /** Undefined: its lines take no comments. */
  readonly commenting: Commenting | undefined
}

/** A browser takes long for more. */
const ROWS_MAX = 5_000
/** Enough to find the line again. */
const QUOTE_CHARS_MAX = 300

export function Patch({ text, repo, comments, commenting }: PatchProps) {
  const files = useMemo(() => filesOf(text), [text])
  return files.map(({ path, rows }) => {
    const here = commenting && comments.filter((one) => one.repo === repo && one.path === path)
    const first = rows.find(({ number }) => number !== undefined)
    return (
      <details key={path} className="file" open>
        <summary>{reveal(path)}</summary>
        <table aria-label={`Changes of ${reveal(path)}`}>
          <tbody onKeyDown={moveFocus}>
            {rows.map((row) => (
              <ShownRow
                key={row.at}
                row={row}
                repo={repo}
                path={path}
                isFirst={row === first}
                comment={here?.find((one) => isAt(one, placeOf(row, repo, path)))}
                commenting={commenting}
              />
            ))}
          </tbody>
        </table>
      </details>
    )
  })
}

const placeOf = ({ kind, number, text }: Row, repo: string, path: string): Place => ({
  ...{ repo, path, line: number ?? 0 },
  quote: text.slice(0, QUOTE_CHARS_MAX),
  side: kind === "del" ? "old" : "new",
})

type RowProps = {
  readonly row: Row
  readonly repo: string
  readonly path: string
  /** The tab key reaches the first line of each file, and arrow keys the others. */
  readonly isFirst: boolean
  readonly comment: Comment | undefined
  readonly commenting: Commenting | undefined
}

const ShownRow = memo(function ShownRow(props: RowProps) {
  const { row, repo, path, isFirst, comment, commenting } = props
  const { kind, text, number } = row
  const open = () => commenting?.put({ ...placeOf(row, repo, path), words: comment?.words ?? "" })
  return (
    <>
      <tr className={kind}>
        <td className="number">
          {number !== undefined && commenting ? (
            <button
              type="button"
              tabIndex={isFirst ? 0 : -1}
              aria-label={`Comment on ${kind === "del" ? "removed line" : "line"} ${number}`}
              onClick={open}
            >
              {number}
            </button>
          ) : (
            number
          )}
        </td>
        <td>{reveal(text)}</td>
      </tr>
      {comment && commenting && (
        <tr className="comment">
          <td />
          <td>
            <Editor comment={comment} commenting={commenting} />
          </td>
        </tr>
      )}
    </>
  )
})

type EditorProps = { readonly comment: Comment; readonly commenting: Commenting }

function Editor({ comment, commenting }: EditorProps) {
  const id = useId()
  return (
    <div className="say">
      <label htmlFor={id} className="hidden">
        Comment on line {comment.line}
      </label>
      <textarea
        id={id}
        rows={1}
        placeholder="Comment"
        ref={focusPressed}
        value={comment.words}
        onChange={({ target }) => commenting.put({ ...comment, words: target.value })}
      />
      <button type="button" className="plain" onClick={() => commenting.remove(comment)}>
        Remove
      </button>
    </div>
  )
}

/** Its line was just pressed: no other field takes the focus, such as those after a reload. */
function focusPressed(field: HTMLTextAreaElement | null): void {
  const line = field?.closest("tr")?.previousElementSibling
  if (line?.contains(document.activeElement)) field?.focus()
}

/** Arrow keys move between the line numbers of a file. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".number button")]
  const at = buttons.indexOf(event.target as HTMLElement)
  if (!step || at < 0) return
  event.preventDefault()
  event.stopPropagation()
  buttons[at + step]?.focus()
}

function filesOf(patch: string): File[] {
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

/** Everything before the first hunk is about the file; only its mode and its renames are shown. */
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
