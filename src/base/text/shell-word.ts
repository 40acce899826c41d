/** Quotes names and paths for command lines that a person may copy. */

/** Quoted if needed. */
export const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The last words of a command, after `--` if one looks like an option. */
export function lastWords(...names: readonly string[]): string {
  const words = names.map(shellWord)
  return (names.some((name) => name.startsWith("-")) ? ["--", ...words] : words).join(" ")
}
