/** Parses the output of `git cat-file --batch-command`. */
import type { Oid } from "../../../base/ids.ts"
import { GitStartError, OutputTooLongError } from "../start/errors.ts"

export type FoundObject = {
  readonly oid: Oid
  readonly type: string
  readonly sizeBytes: number
  /** One char per raw byte; only where it was asked for. */
  readonly content: string
}
export type ObjectQuestion = { readonly verb: "info" | "contents"; readonly name: string }

/** Limit for one object; the same as for any git output. */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024

type Waiting = {
  readonly question: ObjectQuestion
  readonly resolve: (found: FoundObject | undefined) => void
  readonly reject: (error: Error) => void
}

export class ObjectAnswers {
  readonly #waiting: Waiting[] = []
  #chunks: Buffer[] = []
  #bytes = 0
  /** The first answer is incomplete below this number of bytes. */
  #needed = 0
  #ended: Error | undefined

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** The answer to the next question; rejects if git ends first. */
  next(question: ObjectQuestion): Promise<FoundObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#ended) this.end(this.#ended)
    })
  }

  push(chunk: Buffer): void {
    if (this.#ended) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#needed) return
    let rest: Buffer | undefined = Buffer.concat(this.#chunks)
    this.#needed = 0
    for (let taken: Buffer | undefined = rest; taken && this.isWaiting; ) {
      taken = this.#take(rest)
      rest = taken ?? rest
    }
    this.#chunks = [rest]
    this.#bytes = rest.length
  }

  /**
   * Ends the input. @param error for the first waiting question; the others get a plain error about
   * the end.
   */
  end(error: Error = new GitStartError("git has ended")): void {
    this.#ended ??= new GitStartError("git has ended")
    const [first, ...others] = this.#waiting.splice(0)
    first?.reject(error)
    for (const { reject } of others) reject(this.#ended)
  }

  /** @returns the bytes after the first answer; undefined until that is complete. */
  #take(all: Buffer): Buffer | undefined {
    const [first] = this.#waiting
    const end = all.indexOf("\n")
    if (!first || end < 0) return undefined
    const line = all.subarray(0, end).toString("latin1")
    const header = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(line)
    const sizeBytes = Number(header?.[3] ?? 0)
    const size = header && first.question.verb === "contents" ? sizeBytes : undefined
    if (size !== undefined && size > CONTENT_BYTES_MAX) {
      this.end(new OutputTooLongError(["cat-file"], CONTENT_BYTES_MAX))
      return undefined
    }
    const length = end + 1 + (size === undefined ? 0 : size + 1)
    if (all.length < length) {
      this.#needed = length
      return undefined
    }
    this.#waiting.shift()
    const content = all.subarray(end + 1, end + 1 + (size ?? 0)).toString("latin1")
    const [, oid, type] = header ?? []
    first.resolve(oid && type ? { oid: oid as Oid, type, sizeBytes, content } : undefined)
    return all.subarray(length)
  }
}
