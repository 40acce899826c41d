/** Splits a stream of bytes into lines of text. */
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
