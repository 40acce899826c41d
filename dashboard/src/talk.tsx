/** The conversation of a task: the prompts, and the log of its agent, live. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react"
import type { LogLineDocument, TurnsDocument } from "../../src/api/wire/events.ts"
import { PAGE_MAX } from "../../src/base/input-bounds.ts"
import { clean } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { shownTime } from "./clock.ts"
import { follow } from "./live.ts"
import { NO_EVENT, useRead } from "./read.ts"
import { wordsOf } from "./request-error.ts"

/** Lines shown at first, and added on request. We read one line more, to see whether there are others. */
const LINES_MAX = PAGE_MAX - 1
/** A longer prompt is folded. */
const PROMPT_CHARS_MAX = 600
/** The end is in view if no more than this is below. */
const NEAR_PX = 24

type Shown = {
  readonly lines: readonly LogLineDocument[]
  /** There are earlier lines. */
  readonly isCut: boolean
  readonly linesMax: number
}
const NONE: Shown = { lines: [], isCut: false, linesMax: LINES_MAX }
type Turn = TurnsDocument["turns"][number]

/** Compares sequence numbers, so that no line is shown twice. */
export function Talk({ id }: { readonly id: string }) {
  const { document: page, error } = useRead(NO_EVENT, () => api.log(id, { last: PAGE_MAX }), id)
  const { document: asked } = useRead(id, () => api.turns(id))
  const [{ lines, isCut }, setShown] = useState(NONE)
  const [writing, setWriting] = useState("")
  const { box, keepPlace } = useFollowedEnd()
  useLayoutEffect(() => {
    if (!page) return undefined
    setShown(newest(NONE, page.lines))
    const onItem = (line: LogLineDocument) => {
      if (line.kind === "text") setWriting("") // the text is whole, and the next one follows soon
      setShown((shown) =>
        line.seq > (shown.lines.at(-1)?.seq ?? 0) ? newest(shown, [...shown.lines, line]) : shown,
      )
    }
    const after = page.lines.at(-1)?.seq ?? 0
    return follow("followLog", id, { after, onItem, onWriting: setWriting })
  }, [id, page])
  const showEarlier = async () => {
    const before = lines[0]?.seq
    const { lines: earlier } = await api.log(id, { last: PAGE_MAX, before })
    keepPlace()
    setShown((shown) => {
      // New lines may have taken the place of some that were shown when a person asked.
      const all = new Map([...earlier, ...lines, ...shown.lines].map((line) => [line.seq, line]))
      const linesMax = shown.linesMax + LINES_MAX
      return newest({ ...shown, isCut: false, linesMax }, [...all.values()])
    })
  }
  if (error) return <p className="error">{error}</p>
  if (!page) return null
  const since = isCut ? lines[0]?.at : undefined
  return (
    <section className="talk" aria-label="Conversation" ref={box}>
      {isCut && <Earlier show={showEarlier} />}
      {inOrder(foldTools(lines), asked?.turns ?? [], since).map((part) =>
        "prompt" in part ? (
          <Prompt key={`turn ${part.n}`} turn={part} />
        ) : (
          <Said key={part.line.seq} line={part.line} uses={part.uses} />
        ),
      )}
      {writing.trim() && <p className="said text writing">{clean(writing)}</p>}
      {lines.length === 0 && !writing && <p className="quiet">Its agent has said nothing.</p>}
    </section>
  )
}

function Earlier({ show }: { readonly show: () => Promise<void> }) {
  const [error, setError] = useState("")
  const onClick = () => show().catch((failure) => setError(wordsOf(failure)))
  return (
    <p className="quiet">
      <button type="button" onClick={onClick}>
        Show earlier lines
      </button>{" "}
      <span role="alert">{error}</span>
    </p>
  )
}

/**
 * Scrolls to the end, and stays there while a person does not scroll up.
 *
 * @returns `keepPlace`: what is in view stays there when the next change adds lines above it.
 */
function useFollowedEnd(): { readonly box: RefObject<HTMLElement | null>; keepPlace(): void } {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const below = useRef<number>(undefined)
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
    const { current } = box
    if (!current) return
    if (below.current !== undefined) current.scrollTo({ top: current.scrollHeight - below.current })
    else if (isAtEnd.current) current.scrollTo({ top: current.scrollHeight })
    below.current = undefined
  })
  const keepPlace = () => {
    if (box.current) below.current = box.current.scrollHeight - box.current.scrollTop
  }
  return { box, keepPlace }
}

function newest({ isCut, linesMax }: Shown, lines: readonly LogLineDocument[]): Shown {
  return { lines: lines.slice(-linesMax), isCut: isCut || lines.length > linesMax, linesMax }
}

/** A use of a tool, and what the tool printed. */
type Use = { readonly line: LogLineDocument; readonly printed: LogLineDocument[] }
/** `uses`: none if the line is no use of a tool. */
type Folded = { readonly line: LogLineDocument; readonly uses: Use[] }

/** Groups the uses of tools between two messages, each with its output, which may come after another use. */
function foldTools(lines: readonly LogLineDocument[]): Folded[] {
  const folded: Folded[] = []
  const named = new Map<string, Use>()
  for (const line of lines) {
    const { kind, call } = line
    const last = folded.at(-1)
    const printedBy = call === null ? last?.uses.at(-1) : named.get(call)
    if (kind === "output" && printedBy) printedBy.printed.push(line)
    else if (kind === "tool") {
      const use = { line, printed: [] }
      if (call !== null) named.set(call, use)
      if (last && last.uses.length > 0) last.uses.push(use)
      else folded.push({ line, uses: [use] })
    } else folded.push({ line, uses: [] })
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
  const when = at === null ? "waits" : shownTime(at)
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

/** Tools: the latest use, and all of them on request. */
function Said({ line, uses }: Folded) {
  const text = clean(line.text).trimEnd()
  const when = new Date(line.at).toLocaleString()
  const [first] = uses
  if (first && uses.length === 1) return <Used {...first} />
  if (!first && line.kind === "output" && line.call !== null)
    return <Used line={{ ...line, text: "Output of an earlier tool" }} printed={[line]} />
  if (!first)
    return (
      <p className={`said ${line.kind}`} title={when}>
        {text}
      </p>
    )
  return (
    <details className="said tool" title={when}>
      <summary>
        {clean(uses.at(-1)!.line.text).trimEnd()} ({uses.length} calls)
      </summary>
      {uses.map((use) => (
        <Used key={use.line.seq} {...use} />
      ))}
    </details>
  )
}

function Used({ line, printed }: Use) {
  const text = clean(line.text).trimEnd()
  const when = new Date(line.at).toLocaleString()
  if (printed.length === 0)
    return (
      <p className="said tool" title={when}>
        {text}
      </p>
    )
  return (
    <details className="said tool" title={when}>
      <summary>{text}</summary>
      <pre>{printed.map(({ text }) => clean(text).trimEnd()).join("\n")}</pre>
    </details>
  )
}
