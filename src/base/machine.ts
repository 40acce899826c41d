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
