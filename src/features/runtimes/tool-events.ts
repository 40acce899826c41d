/** The use of a tool, its output and its failure, as events for the log. */
import type { AgentEvent } from "../../kernel/runtime/runtime.ts"

/** One line of a log; the whole call is in the transcript. */
const LINE_CHARS_MAX = 200
/** Programs write these ids: tens of characters. */
const CALL_CHARS_MAX = 200

/** @param id the program's, which its output has too; possibly empty. */
export const toolUse = (text: string, id: string): AgentEvent => ({
  kind: "tool",
  text: oneLine(text),
  ...callOf(id),
})

/** None if it printed nothing. The log shortens it. */
export const toolOutput = (text: string, id: string): AgentEvent[] =>
  text.trim() === "" ? [] : [{ kind: "output", text: text.trimEnd(), ...callOf(id) }]

/** @param why may hold the output, which is left out if the notice has all of it. */
export function toolFailure(why: string, printed: string, id: string): AgentEvent[] {
  const text = oneLine(`A tool failed: ${why}`)
  const output = text.includes(printed.trim()) ? [] : toolOutput(printed, id)
  return [...output, { kind: "notice", text }]
}

const callOf = (id: string): Pick<AgentEvent, "call"> =>
  id === "" ? {} : { call: id.slice(0, CALL_CHARS_MAX) }

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX - 1)}…` : line
}
