/** A setting that a person has to approve, and the text that an approval is hashed from. A command loads this file alone. */

export type GitProgram = {
  /** Raw bytes, section and name in lower case. */
  readonly key: string
  /** Raw bytes. */
  readonly value: string
  /** `system`, `global`: the user's own. `local`, `worktree`: the repository's. */
  readonly scope: string
}

/** The text to hash: equal for the same programs, names and order. */
export const textOfPrograms = (programs: readonly GitProgram[]): string =>
  programs.flatMap(({ scope, key, value }) => [scope, key, value]).join("\0")
