/** The conversation of a task: the log of its agent, live. */
import { useEffect, useState } from "react"
import { clean } from "../../src/core/shown.ts"
import type { LogLineDocument } from "../../src/core/wire/events.ts"
import { api } from "./api.ts"
import { follow } from "./live.ts"

/** `coppice logs` prints the rest. */
const LINES_MAX = 500

/** Compares sequence numbers, so that no line is shown twice. */
export function Talk({ id }: { readonly id: string }) {
  const [lines, setLines] = useState<readonly LogLineDocument[]>([])
  useEffect(() => {
    let stop = () => {}
    let isOver = false
    const start = async () => {
      const page = await api.log(id, { last: LINES_MAX }).catch(() => ({ lines: [] }))
      if (isOver) return
      setLines(page.lines)
      const onItem = (line: LogLineDocument) =>
        setLines((all) => (line.seq > (all.at(-1)?.seq ?? 0) ? [...all, line] : all))
      stop = follow("followLog", id, { after: page.lines.at(-1)?.seq ?? 0, onItem })
    }
    void start()
    return () => {
      isOver = true
      stop()
    }
  }, [id])
  if (lines.length === 0) return <p className="quiet">Its agent has not said anything yet.</p>
  return (
    <div className="talk">
      {lines.length >= LINES_MAX && (
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
