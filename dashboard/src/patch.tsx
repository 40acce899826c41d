/** Shows a patch from git, file by file, as text with line numbers, and comments below its lines. */
import { memo, useId, useMemo } from "react"
import { reveal } from "../../src/core/shown.ts"
import { type Comment, isAt, type Place } from "./comments.ts"
import { filesOf, type Row } from "./patch-rows.ts"

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
  repo,
  path,
  line: number ?? 0,
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
