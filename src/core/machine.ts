/** State machines as data: a table of states, each with the events it accepts. */

export type Table<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>

/** The state after `event`, or undefined when `state` does not accept it. */
export function next<State extends string, Event extends string>(
  table: Table<State, Event>,
  state: State,
  event: Event,
): State | undefined {
  return table[state][event]
}

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
