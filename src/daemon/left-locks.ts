/**
 * Removes the locks that dead gits left in the repositories of a home: at start, and each minute while
 * the daemon runs, since a git may be killed at any time.
 */
import { existsSync } from "node:fs"
import type { Db } from "../store/open.ts"
import { listRepoPaths } from "../store/task-repos/list-paths.ts"
import { clearDeadLocks, type DoubtfulLock } from "../workspaces/locks/dead-locks.ts"

const LOOK_MS = 60_000
/** Git holds a lock for as long as it works; what stays longer is for a person to look at. */
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

  /** Looks once now. Settles when that is done. */
  async start(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => void this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** For a person: the locks whose holder may run where we do not see it. */
  problems(nowMs: number): string[] {
    return this.#doubtful
      .filter(({ sinceMs }) => nowMs - sinceMs > NOTABLE_MS)
      .map(
        ({ lock }) =>
          `${lock} is held, perhaps by a process that cannot be seen from here. If no git works in that repository, remove the file.`,
      )
  }

  /** One repository that cannot be read keeps no other from being looked at. */
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
