/**
 * Ends our children when we cannot: after a `kill -9` of this process.
 *
 *   owner ──pipe──► guard (a `sh` in a session of its own)     end of input = the owner is dead
 *     └─ shim ──same pipe: "+ pid"──► exec of the real program
 *
 * Only the owner and, until it execs, the shim hold the pipe's writing end. The shim registers
 * its own pid, which is its group, before it becomes the program, so that no program ever runs
 * unregistered. If the guard itself is killed, a new one gets all groups.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import type { Writable } from "node:stream"
import { assert } from "../../base/assert.ts"
import { UnstartableError } from "./errors.ts"
import { GUARD } from "./guard-script.ts"

/** Including the kill this stays below the 5 s in which a dead daemon's agents must be gone. */
const GRACE_TENTHS_OF_S = 30

export class Guard implements AsyncDisposable {
  readonly #mark: string
  #cgroup = ""
  readonly #groups = new Set<number>()
  #child: ChildProcess | undefined
  #closed = false

  constructor(mark: string) {
    this.#mark = mark
  }

  /**
   * The pipe to the guard, which is started if it does not run; a shim gets it as descriptor 3.
   *
   * @param cgroup the control group of all our children; null where there is none.
   * @throws {UnstartableError}
   */
  open(cgroup: string | null): Writable {
    assert(!this.#closed, "nothing is started once the guard is closed")
    this.#cgroup = cgroup ?? ""
    const child = this.#child ?? this.#start()
    this.#child = child
    if (child.stdin) return child.stdin
    this.#child = undefined // Node makes no pipes when file descriptors have run out
    const cause = Object.assign(new Error("too many open files"), { code: "EMFILE" })
    throw new UnstartableError("the guard could not be started: too many open files", [], cause)
  }

  /** Remembers what the shim has told the guard, for the next guard. */
  remember(group: number): void {
    this.#groups.add(group)
  }

  forget(group: number): void {
    if (this.#groups.delete(group)) this.#child?.stdin?.write(`- ${group}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.pid === undefined) return
    child.ref()
    child.stdin?.end()
    await once(child, "exit")
  }

  #start(): ChildProcess {
    const known = [...this.#groups].map(String) // recorded before anything else: we may be killed at any moment
    const settings = [this.#mark, String(GRACE_TENTHS_OF_S), this.#cgroup]
    const args = ["-c", GUARD, "coppice-guard", ...settings, ...known]
    const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" } // without the mark of an outer owner
    const child = spawn("/bin/sh", args, {
      cwd: "/",
      env,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    child.on("error", () => {
      this.#child = undefined // there is no sh, so no shim starts either, and that error is reported
    })
    child.on("exit", () => {
      this.#child = undefined
      if (!this.#closed && this.#groups.size > 0) this.open(this.#cgroup)
    })
    child.stdin?.on("error", () => {}) // the guard was killed; its exit starts the next one
    child.unref()
    return child
  }
}
