/** JSON-RPC over the input and output of a child process: one document a line. */
import { readDocuments } from "../../kernel/process/lines.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"

type Params = Readonly<Record<string, unknown>>
type Waiting = { resolve(result: Params): void; reject(error: Error): void }
type Id = string | number

export type RpcHandlers = {
  notified(method: string, params: Params): void
  /** Answers a request of the program; it throws what it refuses. */
  asked(method: string, params: Params): Promise<object>
  /** The program will say nothing more. */
  ended(): void
}

/** The program refused a request. */
export class RpcError extends Error {
  /** The program's own, or one of JSON-RPC. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}

/** The program has ended without an answer. */
export class RpcEndedError extends RpcError {}

/** The program has not answered in time; the message is whole. */
export class RpcSilentError extends RpcEndedError {}

/** The beginning of a line that is quoted. */
const QUOTED_CHARS_MAX = 200

export class JsonRpc {
  /** The first line of the program that is no document. */
  unreadable: string | undefined
  readonly #child: OwnedChild["child"]
  readonly #handlers: RpcHandlers
  readonly #waiting = new Map<Id, Waiting>()
  #last = 0
  #isOver = false

  constructor({ child }: OwnedChild, handlers: RpcHandlers) {
    this.#child = child
    this.#handlers = handlers
    child.stdin?.on("error", () => {}) // the program has ended: the end of its output says so
    if (!child.stdout) return
    readDocuments(
      child.stdout,
      (message) => this.#read(message),
      () => this.#end(),
      (line) => {
        this.unreadable ??= line.slice(0, QUOTED_CHARS_MAX)
      },
    )
  }

  /** @throws {RpcError} when the program refuses, or ends before it answers. */
  ask(method: string, params: Params): Promise<Params> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new RpcEndedError("the program has ended"))
      this.#waiting.set(id, { resolve, reject })
      this.#write({ id, method, params })
    })
  }

  notify(method: string, params?: Params): void {
    this.#write({ method, params })
  }

  #write(message: object): void {
    const { stdin } = this.#child
    if (stdin?.writable) stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }

  #read(message: Params): void {
    const { id, method, result, error } = message
    const params = typeof message["params"] === "object" ? (message["params"] ?? {}) : {}
    if (typeof method !== "string") this.#settle(id as Id, { result, error })
    else if (id === undefined) this.#handlers.notified(method, params as Params)
    else void this.#answer(id as Id, method, params as Params)
  }

  #settle(id: Id, { result, error }: { result: unknown; error: unknown }): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(refusal(error))
    else waiting?.resolve((result ?? {}) as Params)
  }

  async #answer(id: Id, method: string, params: Params): Promise<void> {
    await this.#handlers.asked(method, params).then(
      (result) => this.#write({ id, result }),
      (error: unknown) => this.#write({ id, error: { code: -32601, message: String(error) } }),
    )
  }

  #end(): void {
    this.#isOver = true
    for (const { reject } of this.#waiting.values())
      reject(new RpcEndedError("the program has ended"))
    this.#waiting.clear()
    this.#handlers.ended()
  }
}

/** The details are where a general message such as "Internal error" is explained. */
function refusal(error: unknown): RpcError {
  const { message, code, data } = error as Params
  const details = (data as Params | null | undefined)?.["details"]
  const texts = [message, details].filter((one) => typeof one === "string")
  const text = texts.length > 0 ? texts.join(": ") : JSON.stringify(error)
  return new RpcError(text, typeof code === "number" ? code : undefined)
}
