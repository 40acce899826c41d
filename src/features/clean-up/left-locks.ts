/**
 * Removes the locks of dead git processes from the repositories of a home. Runs at start and every
 * few seconds, since a git can be killed at any time and a landing may wait for its lock.
 */
import { existsSync } from "node:fs"
import type { Db } from "../../kernel/store/open.ts"
import { listRepoPaths } from "../../kernel/tasks/rows/task-repos/list.ts"
import { clearDeadLocks, type DoubtfulLock } from "../../kernel/workspaces/locks/dead-locks.ts"

const POLL_MS = 15_000
/** Git holds a lock only while it works; a person should look at older ones. */
const NOTABLE_MS = 60_000

export class LeftLocks {
  readonly #db: Db
  readonly #onError: (error: unknown) => void
  #doubtful: readonly DoubtfulLock[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  /** Checks once now. Settles when that check is done. */
  async start(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => void this.#look(), POLL_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** For a person: the locks whose holder may be invisible to us. */
  problems(nowMs: number): string[] {
    return this.#doubtful
      .filter(({ sinceMs }) => nowMs - sinceMs > NOTABLE_MS)
      .map(
        ({ lock }) =>
          `${lock} is held, perhaps by a process that cannot be seen from here. If no git works in that repository, remove the file.`,
      )
  }

  /** An unreadable repository does not stop the check of the others. */
  async #look(): Promise<void> {
    const found: DoubtfulLock[] = []
    for (const path of listRepoPaths(this.#db).filter((path) => existsSync(path)))
      try {
        found.push(...(await clearDeadLocks(path)))
      } catch (error) {
        this.#onError(error)
      }
    this.#doubtful = found
  }
}
