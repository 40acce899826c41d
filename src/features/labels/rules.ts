/** The form of a label, and the meaning of some. Pure. */

/** Longer ones do not fit on a card. */
const CHARS_MAX = 50
/** Begins the labels that say what a task still needs. */
const NEEDS = "needs:"

/** @returns the fault of the label; undefined: none. */
export function findLabelFault(label: string): string | undefined {
  if (label.length > CHARS_MAX) return `must have at most ${CHARS_MAX} characters`
  if (!/^[\p{L}\p{N}][^\s\p{C}]*$/u.test(label))
    return "must begin with a letter or a digit, and have no spaces"
  return undefined
}

/** The labels that say what the task still needs. */
export const listNeeds = (labels: readonly string[]): readonly string[] =>
  labels.filter((label) => label.startsWith(NEEDS) && label !== NEEDS)
