/** Hands the SDK a process object at once, while the process is still being started. */
import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import type { SpawnedProcess } from "@anthropic-ai/claude-agent-sdk"
import type { OwnedChild } from "../process/owned-child.ts"

export class ClaudeChild extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  killed = false
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #starting: Promise<OwnedChild>

  constructor(starting: Promise<OwnedChild>) {
    super()
    this.#starting = starting
    this.on("error", () => {}) // callers that await `starting` get the error too
    starting.then(
      ({ child }) => this.#connect(child),
      (error: unknown) => this.emit("error", error),
    )
  }

  kill(): boolean {
    this.killed = true
    this.#starting.then(
      (owned) => owned.end(),
      () => {}, // it never started: there is nothing to kill
    )
    return true
  }

  #connect(child: OwnedChild["child"]): void {
    if (child.stdin) this.stdin.pipe(child.stdin)
    child.stdout?.pipe(this.stdout)
    child.once("exit", (code, signal) => {
      this.exitCode = code
      this.signalCode = signal
      this.emit("exit", code, signal)
    })
  }
}
