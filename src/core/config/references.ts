/** References to variables in the text of a configuration: `${VAR}` and `${VAR:-x}`. */

export const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Names of the variables that a text refers to. */
export const listReferences = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, name = ""]) => name)
