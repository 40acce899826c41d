/** The names of what a person can do with a task. Which of them are possible, transitions.ts says. */

// biome-ignore format: a list reads best as one
export const ACTIONS =
  ["approve", "reject", "say", "land", "pause", "resume", "restart", "cancel", "delete"] as const
export type Action = (typeof ACTIONS)[number]

/** The possible actions as a sentence, for an error message. */
export const possibleText = (can: readonly Action[]): string =>
  can.length > 0
    ? `Possible now: ${can.join(", ")}.`
    : "Nothing is possible until its landing, or a person's conversation with its agent, has ended."
