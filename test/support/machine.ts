/** The arrows of a state machine, and its diagram. */
import type { Table } from "../../src/base/machine.ts"

/** Every arrow of the table, in the order it is written. */
export function arrows<State extends string, Event extends string>(table: Table<State, Event>) {
  const states = Object.keys(table) as State[]
  return states.flatMap((from) =>
    (Object.entries(table[from]) as [Event, State][]).map(([event, to]) => ({ from, event, to })),
  )
}

export function toMermaid<State extends string>(
  table: Table<State, string>,
  initial: State,
): string {
  const lines = arrows(table).map(({ from, event, to }) => `  ${from} --> ${to}: ${event}`)
  return ["stateDiagram-v2", `  [*] --> ${initial}`, ...lines, ""].join("\n")
}
