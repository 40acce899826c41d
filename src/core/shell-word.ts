/** Names and paths in command lines that a person may copy. */

/** Quoted where it must be. */
export const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The last words of a command: behind `--` where one would be taken for an option. */
export function lastWords(...names: readonly string[]): string {
  const words = names.map(shellWord)
  return (names.some((name) => name.startsWith("-")) ? ["--", ...words] : words).join(" ")
}
