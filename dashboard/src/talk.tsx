/** The conversation of a task: the log of its agent, live. */
import { useLayoutEffect, useState } from "react"
import { PAGE_MAX } from "../../src/core/input-bounds.ts"
import { clean } from "../../src/core/shown.ts"
import type { LogLineDocument } from "../../src/core/wire/events.ts"
import { api } from "./api.ts"
import { follow, useRead } from "./live.ts"

/** `coppice logs` prints the rest. A page has one line more, which tells whether there is a rest. */
const LINES_MAX = PAGE_MAX - 1

type Shown = { readonly lines: readonly LogLineDocument[]; readonly isCut: boolean }

/** Compares sequence numbers, so that no line is shown twice. */
export function Talk({ id }: { readonly id: string }) {
  const { document: page, error } = useRead("-", () => api.log(id, { last: PAGE_MAX }), id)
  const [{ lines, isCut }, setShown] = useState<Shown>({ lines: [], isCut: false })
  useLayoutEffect(() => {
    if (!page) return undefined
    setShown(newest(page.lines))
    const onItem = (line: LogLineDocument) =>
      setShown((shown) =>
        line.seq > (shown.lines.at(-1)?.seq ?? 0)
          ? newest([...shown.lines, line], shown.isCut)
          : shown,
      )
    return follow("followLog", id, { after: page.lines.at(-1)?.seq ?? 0, onItem })
  }, [id, page])
  if (error) return <p className="error">{error}</p>
  if (!page) return null
  if (lines.length === 0) return <p className="quiet">Its agent has not said anything yet.</p>
  return (
    <div className="talk">
      {isCut && (
        <p className="quiet">
          Earlier lines: <code>coppice logs {id}</code>
        </p>
      )}
      {foldTools(lines).map(({ line, output }) => (
        <Said key={line.seq} line={line} output={output} />
      ))}
    </div>
  )
}

function newest(lines: readonly LogLineDocument[], wasCut = false): Shown {
  return { lines: lines.slice(-LINES_MAX), isCut: wasCut || lines.length > LINES_MAX }
}

type Folded = { readonly line: LogLineDocument; readonly output: LogLineDocument[] }

/** Groups a tool's output under its call. */
function foldTools(lines: readonly LogLineDocument[]): Folded[] {
  const folded: Folded[] = []
  for (const line of lines) {
    const last = folded.at(-1)
    if (line.kind === "output" && last?.line.kind === "tool") last.output.push(line)
    else folded.push({ line, output: [] })
  }
  return folded
}

function Said({ line, output }: Folded) {
  const text = clean(line.text).trimEnd()
  if (line.kind !== "tool" || output.length === 0)
    return <p className={`said ${line.kind}`}>{text}</p>
  return (
    <details className="said tool">
      <summary>{text}</summary>
      <pre>{output.map(({ text }) => clean(text).trimEnd()).join("\n")}</pre>
    </details>
  )
}
