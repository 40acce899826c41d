/**
 * Runs one agent program that serves JSON-RPC, from its start to its end.
 *
 *   start ─► converse ─► finish, fail, an abort or the program's own end ─► leave ─► end it
 *
 * The program stays while the end of a turn is recorded, so work that comes back goes on at once.
 * The first cause of an end wins.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { clean } from "../../base/text/shown.ts"
import { Tail } from "../../kernel/process/end-of-output.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import type { SessionEnd, SessionStart, Turn, TurnEnd } from "../../kernel/runtime/runtime.ts"
import { JsonRpc, RpcEndedError, RpcError, type RpcHandlers, RpcSilentError } from "./json-rpc.ts"

export type ServedCommand = {
  /** The program's name in messages. */
  readonly name: string
  /** The program's path, or its name on the PATH of the session. */
  readonly program: string
  readonly args: readonly string[]
  /** Extends the environment of the session. */
  readonly env?: Readonly<Record<string, string>>
  /** The longest wait for the answer to `initialize`. Default: {@link HANDSHAKE_MS_MAX}. */
  readonly handshakeMsMax?: number
}

/** The part of a protocol that the programs do not share. */
export type Conversing = Omit<RpcHandlers, "ended"> & {
  /** Begins with the first request. It may last until `finish`, or leave the rest to `notified`. */
  converse(rpc: JsonRpc): Promise<void>
  /** Runs before the program is ended; it must settle soon. */
  leave?(rpc: JsonRpc): Promise<void>
}

/** A program that starts slowly, from the network or in a container, takes seconds. */
const HANDSHAKE_MS_MAX = 60_000
/** Between TERM and KILL: the program needs a moment to end its own tools. */
const GRACE_MS = 2_000
/** Time for the program to exit after it has closed its output. */
const EXIT_MS_MAX = 5_000
/** The end of its errors, to quote when it dies. */
const STDERR_BYTES_MAX = 4_000

export class ServedProgram {
  readonly #session: SessionStart
  readonly #command: ServedCommand
  readonly #stderr = new Tail(STDERR_BYTES_MAX)
  readonly #ended = Promise.withResolvers<void>()
  #owned: OwnedChild | undefined
  #rpc: JsonRpc | undefined
  #ending: Promise<void> | undefined
  #isGreeted = false
  #end: SessionEnd | undefined
  #thrown: { readonly error: unknown } | undefined

  constructor(session: SessionStart, command: ServedCommand) {
    this.#session = session
    this.#command = command
  }

  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** Whether the end of a turn is being recorded. */
  get isEndingTurn(): boolean {
    return this.#ending !== undefined
  }

  /** @throws the error of `endTurn` or `spawn`, once no process is left. */
  async run(conversing: Conversing): Promise<SessionEnd> {
    const { signal } = this.#session
    const abort = () => this.finish({ kind: "aborted" })
    signal.addEventListener("abort", abort)
    try {
      await this.#start()
      if (signal.aborted) abort()
      // The program may never answer, so an end does not wait for the conversation.
      if (!this.#end) await Promise.race([this.#converse(conversing), this.#ended.promise])
    } catch (error) {
      this.fail(error)
    }
    signal.removeEventListener("abort", abort)
    if (this.#rpc) await conversing.leave?.(this.#rpc)
    await this.#owned?.end(GRACE_MS)
    await this.#ending // the turn may have ended well before the process died
    if (signal.aborted) return { kind: "aborted" }
    if (this.#thrown) throw this.#thrown.error
    return this.#end ?? (await this.#death())
  }

  /**
   * Asks `initialize`, whose answer cannot take long.
   *
   * @throws {RpcError} when the program refuses, ends, or does not answer in time.
   */
  async initialize(rpc: JsonRpc, params: object): Promise<Readonly<Record<string, unknown>>> {
    const { handshakeMsMax = HANDSHAKE_MS_MAX } = this.#command
    const given = new AbortController()
    const late = sleep(handshakeMsMax, undefined, { signal: given.signal, ref: false }).then(() => {
      const text = `${this.#command.name} did not answer \`initialize\` within ${handshakeMsMax / 1000} s`
      throw new RpcSilentError(`${text}${this.#unreadable()}`)
    })
    try {
      // `race` hears the end of the timer too, also after the answer.
      const answer = await Promise.race([rpc.ask("initialize", { ...params }), late])
      this.#isGreeted = true
      return answer
    } finally {
      given.abort()
    }
  }

  /** A line of another protocol says more than silence. */
  #unreadable(): string {
    const line = this.#rpc?.unreadable
    return line === undefined ? "" : `; it said what is not its protocol (JSON-RPC): ${clean(line)}`
  }

  /** Records the end of a turn. Without a next one the session is over. */
  async endTurn(end: TurnEnd): Promise<Turn | undefined> {
    const recording = this.#session.endTurn(end)
    const ending = recording.then(
      (next) => {
        if (!next) this.finish({ kind: "ended" })
      },
      (error: unknown) => this.fail(error),
    )
    this.#ending = ending
    await ending
    this.#ending = undefined
    return this.#thrown ? undefined : await recording
  }

  /** A refused request ends the session; a program that has ended is its own cause. */
  fail(error: unknown): void {
    const failed = (text: string) => ({ kind: "stuck", code: "failed", text }) as const
    if (error instanceof UnstartableError && !error.transient) this.#end ??= failed(error.message)
    else if (!(error instanceof RpcError)) this.#thrown ??= { error }
    else if (error instanceof RpcSilentError) this.#end ??= failed(error.message)
    else if (!(error instanceof RpcEndedError))
      this.#end ??= failed(`${this.#command.name} refused: ${error.message}`)
    this.#ended.resolve()
  }

  finish(end: SessionEnd): void {
    this.#end ??= end
    this.#ended.resolve()
  }

  async #start(): Promise<void> {
    const { spawn, place, turn } = this.#session
    const { program, args, env } = this.#command
    const set = { ...place.env, ...env, COPPICE_TURN: String(turn.n) }
    this.#owned = await spawn(program, args, { cwd: place.cwd, env: set })
    this.#owned.child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk))
    void this.#owned.exited.then(() => this.#ended.resolve())
  }

  async #converse({ notified, asked, converse }: Conversing): Promise<void> {
    this.#rpc = new JsonRpc(this.#owned!, {
      notified: (method, params) => {
        try {
          if (!this.#end) notified(method, params)
        } catch (error) {
          this.fail(error) // of a report, which we make
        }
      },
      asked,
      ended: () => void setTimeout(this.#ended.resolve, EXIT_MS_MAX).unref(),
    })
    await converse(this.#rpc)
    await this.#ended.promise
  }

  async #death(): Promise<SessionEnd> {
    const exit = await this.#owned?.exited
    const how = exit?.signal ?? `code ${exit?.code}`
    const said = this.#isGreeted ? "" : this.#unreadable()
    const text = `${this.#command.name} exited (${how}) ${this.#stderr.text().trim()}`.trim()
    return { kind: "stuck", code: "died", text: `${text}${said}` }
  }
}
