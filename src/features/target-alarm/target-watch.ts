/**
 * Watches the targets of all tasks every few seconds, and reports at once what moved one past the
 * gate.
 */
import { existsSync } from "node:fs"
import { lookAtTarget } from "../../kernel/landing/move/look-at-target.ts"
import { listSeenTargets } from "../../kernel/landing/rows/seen-targets.ts"
import { describeMove } from "../../kernel/landing/rules/target-move.ts"
import type { Db } from "../../kernel/store/open.ts"

const POLL_MS = 2_000

export class TargetWatch {
  readonly #db: Db
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined

  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => this.#begin(), POLL_MS)
    this.#timer.unref()
    this.#begin()
  }

  /** Settles when the last check is over, after which the store may be closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** For a person: the targets that moved past the gate and have not come back. */
  problems(): string[] {
    return listSeenTargets(this.#db).flatMap(({ path, target, moved }) =>
      moved && !moved.isRename ? `${describeMove({ repo: path, target }, moved)}.` : [],
    )
  }

  #begin(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  /** An unreadable repository does not stop the check of the others. */
  async #look(): Promise<void> {
    for (const seen of listSeenTargets(this.#db).filter(({ path }) => existsSync(path)))
      try {
        await lookAtTarget(this.#db, seen, Date.now())
      } catch (error) {
        this.#onError(error)
      }
  }
}
