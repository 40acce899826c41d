/** The conversation of a task: the prompts, and the log of its agent, live. */
import { useLayoutEffect, useRef, useState } from "react"
import { PAGE_MAX } from "../../src/core/input-bounds.ts"
import { clean } from "../../src/core/shown.ts"
import type { LogLineDocument, TurnsDocument } from "../../src/core/wire/events.ts"
import { api } from "./api.ts"
import { follow, useRead } from "./live.ts"

/** `coppice logs` prints the rest. A page has one line more, which tells whether there is a rest. */
const LINES_MAX = PAGE_MAX - 1
/** A longer prompt is folded. */
const PROMPT_CHARS_MAX = 600
/** The end is in view if no more than this is below. */
const NEAR_PX = 24

type Shown = { readonly lines: readonly LogLineDocument[]; readonly isCut: boolean }
type Turn = TurnsDocument["turns"][number]

/** Compares sequence numbers, so that no line is shown twice. */
export function Talk({ id }: { readonly id: string }) {
  const { document: page, error } = useRead("-", () => api.log(id, { last: PAGE_MAX }), id)
  const { document: asked } = useRead(id, () => api.turns(id))
  const [{ lines, isCut }, setShown] = useState<Shown>({ lines: [], isCut: false })
  const [writing, setWriting] = useState("")
  const box = useFollowedEnd()
  useLayoutEffect(() => {
    if (!page) return undefined
    setShown(newest(page.lines))
    const onItem = (line: LogLineDocument) => {
      if (line.kind === "text") setWriting("") // it is whole, and the next text follows soon
      setShown((shown) =>
        line.seq > (shown.lines.at(-1)?.seq ?? 0)
          ? newest([...shown.lines, line], shown.isCut)
          : shown,
      )
    }
    const after = page.lines.at(-1)?.seq ?? 0
    return follow("followLog", id, { after, onItem, onWriting: setWriting })
  }, [id, page])
  if (error) return <p className="error">{error}</p>
  if (!page) return null
  const since = isCut ? lines[0]?.at : undefined
  return (
    <section className="talk" aria-label="Conversation" ref={box}>
      {isCut && (
        <p className="quiet">
          Earlier lines: <code>coppice logs {id}</code>
        </p>
      )}
      {inOrder(foldTools(lines), asked?.turns ?? [], since).map((part) =>
        "prompt" in part ? (
          <Prompt key={`turn ${part.n}`} turn={part} />
        ) : (
          <Said key={part.line.seq} line={part.line} rest={part.rest} />
        ),
      )}
      {writing.trim() && <p className="said text writing">{clean(writing)}</p>}
      {lines.length === 0 && !writing && <p className="quiet">Its agent has said nothing.</p>}
    </section>
  )
}

/** Scrolls to the end, and stays there while a person does not scroll up. */
function useFollowedEnd() {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    const note = () => {
      if (!element) return
      const below = element.scrollHeight - element.scrollTop - element.clientHeight
      isAtEnd.current = below <= NEAR_PX
    }
    element?.addEventListener("scroll", note)
    if (element) element.tabIndex = 0 // so that arrow keys scroll it
    return () => element?.removeEventListener("scroll", note)
  })
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  })
  return box
}

function newest(lines: readonly LogLineDocument[], wasCut = false): Shown {
  return { lines: lines.slice(-LINES_MAX), isCut: wasCut || lines.length > LINES_MAX }
}

type Folded = { readonly line: LogLineDocument; readonly rest: LogLineDocument[] }

/** Groups the calls of tools between two messages, with their output. */
function foldTools(lines: readonly LogLineDocument[]): Folded[] {
  const folded: Folded[] = []
  for (const line of lines) {
    const last = folded.at(-1)
    if (/^(tool|output)$/.test(line.kind) && last?.line.kind === "tool") last.rest.push(line)
    else folded.push({ line, rest: [] })
  }
  return folded
}

/**
 * Each prompt before what was said after it. A prompt that waits comes last.
 *
 * @param since the time of the first line that is shown, if there are earlier ones.
 */
function inOrder(said: readonly Folded[], turns: readonly Turn[], since = ""): (Folded | Turn)[] {
  const left = turns.filter(({ at }) => at === null || at >= since)
  const parts: (Folded | Turn)[] = []
  for (const one of said) {
    while (left[0]?.at && left[0].at <= one.line.at) parts.push(left.shift()!)
    parts.push(one)
  }
  return [...parts, ...left]
}

function Prompt({ turn: { n, at, prompt, cut } }: { readonly turn: Turn }) {
  const text = clean(prompt).trim()
  const when = at === null ? "waits" : new Date(at).toLocaleTimeString()
  const whole = <p className="asked">{cut ? `${text}…` : text}</p>
  return (
    <section className="prompt" aria-label={`Prompt of turn ${n}`}>
      <p className="quiet">
        {n === 1 ? "prompt" : `prompt of turn ${n}`} · {when}
      </p>
      {text.length > PROMPT_CHARS_MAX ? (
        <details>
          <summary>{text.split("\n")[0]?.slice(0, PROMPT_CHARS_MAX)}</summary>
          {whole}
        </details>
      ) : (
        whole
      )}
    </section>
  )
}

/** Tools: the latest call, and all of them on request. */
function Said({ line, rest }: Folded) {
  const text = clean(line.text).trimEnd()
  const when = new Date(line.at).toLocaleString()
  if (rest.length === 0)
    return (
      <p className={`said ${line.kind}`} title={when}>
        {text}
      </p>
    )
  const calls = [line, ...rest].filter(({ kind }) => kind === "tool")
  const [shown, below] = calls.length === 1 ? [line, rest] : [calls.at(-1)!, [line, ...rest]]
  return (
    <details className="said tool" title={when}>
      <summary>
        {clean(shown.text).trimEnd()}
        {calls.length > 1 && ` (${calls.length} calls)`}
      </summary>
      <pre>{below.map(({ text }) => clean(text).trimEnd()).join("\n")}</pre>
    </details>
  )
}
