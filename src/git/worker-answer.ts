/** Reads what a worker's git says, up to the line that ends it. */
import type { Readable } from "node:stream"

export type Answer = { readonly body: Buffer; readonly code: string }

export type Reading = {
  /** Starts the last line, before git's exit code. */
  readonly word: string
  readonly bytesMax: number
  /** Called once, when there is more. */
  readonly onFull: () => void
  /** Told the process id that the first line names, which is not part of the body. */
  readonly onPid?: ((pid: number) => void) | undefined
  /** Gets what comes, as it comes, instead of the body. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined
}

/** The word, a space, a code of up to 4, two line ends. */
const reach = (word: string) => word.length + 8

/** Gathers until the line `word <code>`, which is the last that comes. */
export function readUntil(stream: Readable, reading: Reading): Promise<Answer> {
  const { word, bytesMax, onFull, onOutput } = reading
  const gathered = new Gathered(reach(word))
  let onPid = reading.onPid
  let isFull = false
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      gathered.add(chunk)
      const end = gathered.findEnd(word)
      const pid = onPid && !end ? gathered.takePid() : undefined
      if (onPid && pid !== undefined) {
        onPid(pid)
        onPid = undefined
      }
      if (onOutput && !onPid) onOutput(gathered.takeAll())
      if (gathered.bytes > bytesMax && !isFull) {
        isFull = true
        onFull()
      }
      if (!end) return
      stream.off("data", onData)
      const all = gathered.takeAll()
      resolve({ body: all.subarray(0, all.length - end.length), code: end.code })
    }
    stream.on("data", onData)
  })
}

class Gathered {
  readonly #reach: number
  #chunks: Buffer[] = []
  /** The last bytes, of chunks that were taken too. */
  #tail = Buffer.alloc(0)
  bytes = 0

  constructor(reach: number) {
    this.#reach = reach
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.length
    const last = chunk.subarray(-this.#reach)
    this.#tail = Buffer.concat([this.#tail, last]).subarray(-this.#reach)
  }

  takeAll(): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.bytes = 0
    return all
  }

  /** The process id in the first line, once that is there. */
  takePid(): number | undefined {
    const all = this.takeAll()
    const line = /^pid (\d+)\n/.exec(all.subarray(0, 32).toString("latin1"))
    this.add(line ? all.subarray(line[0].length) : all)
    return line ? Number(line[1]) : undefined
  }

  /** How long the last line is, when it is the one that ends an answer. */
  findEnd(word: string): { length: number; code: string } | undefined {
    const text = this.#tail.toString("latin1")
    const start = text.lastIndexOf(`\n${word} `)
    if (start < 0 || !text.endsWith("\n")) return undefined
    const line = text.slice(start)
    return { length: line.length, code: line.slice(word.length + 2, -1) }
  }
}
