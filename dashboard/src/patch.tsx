/**
 * Shows a patch from git, file by file, and comments below its lines.
 *
 * A browser is slow with many lines, so the rest of a long file opens on request. Its heading always
 * tells how many lines it has: a person approves what the page shows.
 */
import { useId, useMemo, useState } from "react"
import { Decoration, Diff, getChangeKey, type HunkData, Hunk as LinesOf } from "react-diff-view"
import { reveal } from "../../src/base/text/shown.ts"
import { type Comment, isAt, type Place } from "./comments.ts"
import { countLines, filesOf, firstLines, type Line, type PatchFile } from "./patch-files.ts"

export type View = "unified" | "split"
/** Changes of comments; the same object in every rendering. */
type Commenting = {
  put(comment: Comment): void
  remove(comment: Comment): void
}
export type PatchProps = {
  readonly text: string
  readonly repo: string
  readonly view: View
  readonly comments: readonly Comment[]
  /** Undefined: its lines take no comments. */
  readonly commenting: Commenting | undefined
}

/** Lines that are drawn at once, in all files together, and with each request for more. */
const LINES_MAX = 2_000
/** Enough to find the line again. */
const QUOTE_CHARS_MAX = 300

export function Patch({ text, ...rest }: PatchProps) {
  const files = useMemo(() => filesOf(text), [text])
  let room = LINES_MAX
  return files.map((file) => {
    const lines = Math.min(countLines(file.hunks), room)
    room -= lines
    return <ShownFile key={file.path} file={file} lines={lines} {...rest} />
  })
}

type FileProps = Omit<PatchProps, "text"> & { readonly file: PatchFile; readonly lines: number }

function ShownFile({ file, lines, repo, view, comments, commenting }: FileProps) {
  const { path, notes, added, removed } = file
  const [more, setMore] = useState(0)
  const hunks = useMemo(() => firstLines(file.hunks, lines + more), [file, lines, more])
  const left = countLines(file.hunks) - countLines(hunks)
  const here = commenting ? comments.filter((one) => one.repo === repo && one.path === path) : []
  return (
    <details className="file" open>
      <summary>
        <span>{reveal(path)}</span> <span className="added">+{added}</span>{" "}
        <span className="removed">−{removed}</span>
      </summary>
      {notes.map((note) => (
        <p key={note} className="note">
          {reveal(note)}
        </p>
      ))}
      <section aria-label={`Changes of ${reveal(path)}`} onKeyDown={moveFocus}>
        <Lines {...{ hunks, repo, path, view, commenting }} comments={here} />
      </section>
      {left > 0 && (
        <p className="more">
          <button type="button" onClick={() => setMore(more + LINES_MAX)}>
            {left.toLocaleString()} more {left === 1 ? "line is" : "lines are"} not shown: show{" "}
            {left > LINES_MAX ? `${LINES_MAX.toLocaleString()} of them` : "all"}
          </button>
        </p>
      )}
    </details>
  )
}

type LinesProps = Omit<FileProps, "file" | "lines"> & {
  readonly path: string
  readonly hunks: HunkData[]
}

function Lines({ hunks, repo, path, view, comments, commenting }: LinesProps) {
  const first = hunks[0]?.changes[0]
  const open = (line: Line) => {
    const place = placeOf(line, repo, path)
    const words = comments.find((one) => isAt(one, place))?.words ?? ""
    commenting?.put({ ...place, words })
  }
  const widgets = commenting && editorsOf({ hunks, repo, path, comments, commenting })
  return (
    <Diff
      diffType="modify"
      viewType={view}
      hunks={hunks}
      widgets={widgets ?? {}}
      renderGutter={({ change, side, renderDefault }) => {
        const line = change as Line
        if (!commenting || side !== (line.type === "delete" ? "old" : "new")) return renderDefault()
        return <CommentOn line={line} isFirst={line === first} open={open} />
      }}
    >
      {(shown) =>
        shown.flatMap((hunk) => [
          <Decoration key={`at ${hunk.content}`}>
            <span className="hunk">{reveal(hunk.content)}</span>
          </Decoration>,
          <LinesOf key={hunk.content} hunk={hunk} />,
        ])
      }
    </Diff>
  )
}

type CommentOnProps = {
  readonly line: Line
  readonly isFirst: boolean
  open(line: Line): void
}

/** The tab key reaches the first line of each file, and arrow keys the others. */
const CommentOn = ({ line, isFirst, open }: CommentOnProps) => (
  <button
    type="button"
    tabIndex={isFirst ? 0 : -1}
    aria-label={`Comment on ${line.type === "delete" ? "removed line" : "line"} ${numberOf(line)}`}
    onClick={() => open(line)}
  >
    {numberOf(line)}
  </button>
)

type Editing = Omit<LinesProps, "view" | "commenting"> & { readonly commenting: Commenting }

/** An editor below each line that has a comment. */
function editorsOf({ hunks, repo, path, comments, commenting }: Editing) {
  if (comments.length === 0) return {}
  const lines = hunks.flatMap(({ changes }) => changes as Line[])
  return Object.fromEntries(
    lines.flatMap((line) => {
      const comment = comments.find((one) => isAt(one, placeOf(line, repo, path)))
      if (!comment) return []
      return [[getChangeKey(line), <Editor key="editor" {...{ comment, commenting }} />]]
    }),
  )
}

const numberOf = (line: Line): number =>
  line.type === "normal" ? line.newLineNumber : line.lineNumber

const placeOf = (line: Line, repo: string, path: string): Place => ({
  repo,
  path,
  line: numberOf(line),
  quote: line.text.slice(0, QUOTE_CHARS_MAX),
  side: line.type === "delete" ? "old" : "new",
})

type EditorProps = { readonly comment: Comment; readonly commenting: Commenting }

function Editor({ comment, commenting }: EditorProps) {
  const id = useId()
  return (
    <div className="say comment">
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

/** Only a field whose line was just pressed takes the focus, not those after a reload. */
function focusPressed(field: HTMLTextAreaElement | null): void {
  const line = field?.closest("tr")?.previousElementSibling
  if (line?.contains(document.activeElement)) field?.focus()
}

/** Arrow keys move between the line numbers of a file. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".diff-gutter button")]
  const at = buttons.indexOf(event.target as HTMLElement)
  if (!step || at < 0) return
  event.preventDefault()
  event.stopPropagation()
  buttons[at + step]?.focus()
}
