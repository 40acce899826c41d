/**
 * Requests that may take long: carried out once, and followed to their end.
 *
 * A request without an answer after {@link ANSWER_MS} is accepted: 202 with the operation. `GET
 * /operations/<id>` waits for its end, which is an event as well. A repeated request joins the same
 * operation: by its Idempotency-Key, or word for word if its client has given up following.
 * Operations live in memory; anything that must survive a daemon has its own row (`tasks.request`).
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { FastifyReply, FastifyRequest } from "fastify"
import { toErrorDocument } from "../../base/errors.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { appendEvent } from "../../kernel/store/events.ts"

/** A request that takes longer is accepted with 202. */
const ANSWER_MS = 1_500
/** How long one request waits for an operation's end; well below the client's own limit. */
const FOLLOW_MS = 20_000
/** A following client asks again within this time. */
const RETURN_MS = 2_000
const RETURN_POLL_MS = 100
/** Ended operations that are remembered, for clients that ask again. */
const ENDED_MAX = 200

type Operation = {
  readonly id: string
  /** The whole text of the request. */
  readonly text: string
  readonly ended: Promise<() => unknown>
  /** The client repeats the request by its key. */
  readonly isKeyed: boolean
  isUnderWay: boolean
  isAccepted: boolean
  followers: number
  leftAtMs: number
}

export class Operations {
  readonly #fleet: FleetRows
  readonly #byId = new Map<string, Operation>()

  constructor(fleet: FleetRows) {
    this.#fleet = fleet
  }

  /** Whether a client's operation is running, so that the daemon must not end for idleness. */
  get isWorking(): boolean {
    return [...this.#byId.values()].some(({ isUnderWay }) => isUnderWay)
  }

  /** The end of an operation, waited for a while. @throws {DaemonError} `operation.unknown` */
  async answer(id: string, reply: FastifyReply): Promise<unknown> {
    const operation = this.#byId.get(id)
    if (!operation)
      throw new DaemonError("operation.unknown", `There is no operation ${id}.`, [
        "The daemon has been started again since; `coppice ls` shows what was done.",
      ])
    return await this.#answer(operation, reply, FOLLOW_MS)
  }

  /** Answers the request with the result of `run`, or with its operation. */
  async carryOut(
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    await this.#untilLeft(textOf(request))
    return await this.#answer(this.#begin(request, run), reply, ANSWER_MS)
  }

  #begin(request: FastifyRequest, run: () => Promise<unknown>): Operation {
    const { method, url, headers } = request
    const text = textOf(request)
    const key = headers["idempotency-key"]
    const id = typeof key === "string" && key !== "" ? key : randomUUID()
    const known = this.#byId.get(id) ?? this.#findLeft(text)
    if (known && known.text !== text)
      throw new DaemonError("request.invalid", "This Idempotency-Key belongs to another request.")
    if (known) return known
    const ended = run().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error
      },
    )
    const counted = { followers: 0, leftAtMs: Number.POSITIVE_INFINITY }
    const isKeyed = id === key
    const operation = { id, text, ended, isKeyed, isUnderWay: true, isAccepted: false, ...counted }
    this.#byId.set(id, operation)
    void ended.then((end) => this.#end(operation, `${method} ${url}`, end))
    return operation
  }

  /** Waits while an operation with the same text has no follower, and its client may still return. */
  async #untilLeft(text: string): Promise<void> {
    while (this.#findAlone(text) && !this.#findLeft(text)) await sleep(RETURN_POLL_MS)
  }

  /** An operation with the same text whose client has gone. */
  #findLeft(text: string): Operation | undefined {
    const leftBefore = Date.now() - RETURN_MS
    return this.#findAlone(text, ({ leftAtMs }) => leftAtMs < leftBefore)
  }

  #findAlone(text: string, isWanted = (_: Operation) => true): Operation | undefined {
    return [...this.#byId.values()].find(
      (one) =>
        one.text === text &&
        one.isUnderWay &&
        one.isAccepted &&
        one.followers === 0 &&
        isWanted(one),
    )
  }

  async #answer(operation: Operation, reply: FastifyReply, msMax: number): Promise<unknown> {
    operation.followers += 1
    reply.raw.once("close", () => {
      operation.followers -= 1
      const hasHungUp = !reply.raw.writableFinished
      operation.leftAtMs = hasHungUp ? Number.NEGATIVE_INFINITY : Date.now()
    })
    const waiting = new AbortController()
    const limit = sleep(msMax, undefined, { signal: waiting.signal }).catch(() => undefined)
    const end = await Promise.race([operation.ended, limit])
    waiting.abort()
    if (end) return end()
    operation.isAccepted = true
    return reply.status(202).send({ operation: operation.id })
  }

  #end(operation: Operation, request: string, end: () => unknown): void {
    operation.isUnderWay = false
    this.#byId.delete(operation.id)
    // Moved to the end of the map, so that the oldest ended one is dropped first. One that no
    // client can ask for is dropped at once.
    if (operation.isKeyed || operation.isAccepted) this.#byId.set(operation.id, operation)
    const ended = [...this.#byId.values()].filter(({ isUnderWay }) => !isUnderWay)
    for (const { id } of ended.slice(0, -ENDED_MAX)) this.#byId.delete(id)
    if (!operation.isAccepted || !this.#fleet.db.open) return
    const data = { operation: operation.id, request, error: errorOf(end) }
    const { db, world } = this.#fleet
    appendEvent(db, { type: "operation.ended", task: null, data }, world.nowMs())
  }
}

const textOf = ({ method, url, body }: FastifyRequest): string =>
  `${method} ${url} ${JSON.stringify(body ?? null)}`

/** The code of the error that it ended with. */
function errorOf(end: () => unknown): string | null {
  try {
    end()
    return null
  } catch (error) {
    return toErrorDocument(error).error.code
  }
}
