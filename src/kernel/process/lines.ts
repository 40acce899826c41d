/** Splits a stream of bytes into lines of text, or into the JSON objects of such lines. */
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"

/**
 * Calls `onLine` with every line as it comes, without its end; the last line may lack one. A line
 * longer than `charsMax` is split, so that memory stays bounded.
 */
export function readLines(
  stream: Readable,
  charsMax: number,
  onLine: (line: string) => void,
): void {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  const take = (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) tell(line.replace(/\r$/, ""))
    while (rest.length > charsMax) {
      onLine(rest.slice(0, charsMax))
      rest = rest.slice(charsMax)
    }
  }
  const tell = (line: string) => {
    for (let at = 0; at === 0 || at < line.length; at += charsMax)
      onLine(line.slice(at, at + charsMax))
  }
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk)))
  const flush = () => {
    take(decoder.end())
    if (rest) tell(rest)
    rest = ""
  }
  stream.once("end", flush)
  stream.once("close", flush) // a destroyed stream has no end event
}

/** No message of a program is as long; its memory would be ours. */
const DOCUMENT_CHARS_MAX = 64 * 1024 * 1024

/**
 * Calls `onDocument` with every line that is a JSON object, then `onEnd`. Other lines are skipped, or go
 * to `onOther`: a program may print a warning. A line that is too long ends the reading.
 *
 * Not by `node:readline`, which also ends a line at U+2028: that is a character of JSON's strings.
 */
export function readDocuments(
  stream: Readable,
  onDocument: (document: Readonly<Record<string, unknown>>) => void,
  onEnd: () => void,
  onOther: (line: string) => void = () => {},
): void {
  const decoder = new StringDecoder("utf8")
  let line = ""
  const tell = () => {
    const document = parsed(line)
    if (typeof document === "object" && document !== null) onDocument({ ...document })
    else if (line.trim() !== "") onOther(line)
  }
  stream.on("data", (chunk: Buffer) => {
    const [rest = "", ...next] = decoder.write(chunk).split("\n")
    line += rest
    if (line.length > DOCUMENT_CHARS_MAX) {
      line = ""
      stream.destroy()
    }
    for (const start of next) {
      tell()
      line = start
    }
  })
  stream.once("end", tell)
  stream.once("close", onEnd)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
