/**
 * The text of a file that an agent, a cloned repository or another program can write.
 *
 * Its parts are of the same type, so that test/slow-texts.test.ts finds what reads them, and tries that with texts that
 * take long. A pattern's match is a plain text again.
 */
export type FileText = {
  trim(): FileText
  trimStart(): FileText
  trimEnd(): FileText
  slice(start?: number, end?: number): FileText
  split(separator: string | RegExp, limit?: number): FileText[]
} & string

export type FileBytes = {
  toString(encoding?: "utf8" | "latin1"): FileText
  subarray(start?: number, end?: number): FileBytes
} & Buffer
