/** Reads what a worker's git writes, up to the line that ends it. */
import type { Readable } from "node:stream"

export type Answer = { readonly body: Buffer; readonly code: string }

export type Reading = {
  /** Starts the last line, before git's exit code. */
  readonly word: string
  readonly bytesMax: number
  /** Called once, if there is more. */
  readonly onFull: () => void
}

/** Gathers until the line `word <code>`, which is the last that comes. */
export function readUntil(stream: Readable, { word, bytesMax, onFull }: Reading): Promise<Answer> {
  const chunks: Buffer[] = []
  const reach = word.length + 8 // a space, a code of up to 4, two line ends
  let tail = Buffer.alloc(0)
  let bytes = 0
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      tail = Buffer.concat([tail, chunk.subarray(-reach)]).subarray(-reach)
      if (bytes > bytesMax && bytes - chunk.length <= bytesMax) onFull()
      const end = findEnd(tail.toString("latin1"), word)
      if (!end) return
      stream.off("data", onData)
      resolve({ body: Buffer.concat(chunks).subarray(0, bytes - end.length), code: end.code })
    }
    stream.on("data", onData)
  })
}

/** How long the last line is, when it is the one that ends an answer. */
function findEnd(text: string, word: string): { length: number; code: string } | undefined {
  const start = text.lastIndexOf(`\n${word} `)
  if (start < 0 || !text.endsWith("\n")) return undefined
  const line = text.slice(start)
  return { length: line.length, code: line.slice(word.length + 2, -1) }
}
