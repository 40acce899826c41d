/** A program of ours in a process of its own, which answers each message with one. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { basename } from "node:path"

export class Forked implements AsyncDisposable {
  readonly #program: string
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>

  /** @param program the file to run. It ends when it is let go: nothing but messages keeps it. */
  constructor(program: string, args: readonly string[]) {
    this.#program = basename(program)
    this.#child = fork(program, args)
    this.#ended = once(this.#child, "exit")
  }

  /** @returns the answer. @throws where it ends without one; why stands on stderr. */
  async ask<Answer>(order: object | string): Promise<Answer> {
    this.#child.send(order)
    const answered = once(this.#child, "message").then(([answer]) => ({ answer }))
    const told = await Promise.race([answered, this.#ended.then(() => undefined)])
    if (!told) throw new Error(`${this.#program} has ended: see above`)
    return told.answer as Answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }
}
