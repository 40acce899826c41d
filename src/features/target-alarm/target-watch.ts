/**
 * Watches the targets of all tasks, and the shared settings of their repositories, every few seconds. It
 * reports at once what moved a target past the gate, or changed a setting while a task was at work.
 */
import { existsSync } from "node:fs"
import { lookAtTarget } from "../../kernel/landing/move/look-at-target.ts"
import { listSeenTargets } from "../../kernel/landing/rows/seen-targets.ts"
import { describeMove } from "../../kernel/landing/rules/target-move.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listSettingProblems, lookAtSettings } from "../../kernel/workspaces/look-at-settings.ts"

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

  /** For a person: what moved past the gate, or changed, and has not come back. */
  problems(nowMs: number): string[] {
    const moves = listSeenTargets(this.#db).flatMap(({ path, target, moved }) =>
      moved && !moved.isRename ? `${describeMove({ repo: path, target }, moved)}.` : [],
    )
    return [...moves, ...listSettingProblems(this.#db, nowMs)]
  }

  #begin(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  /** An unreadable repository does not stop the check of the others. */
  async #look(): Promise<void> {
    const here = listSeenTargets(this.#db).filter(({ path }) => existsSync(path))
    const repos = new Set(here.map(({ path }) => path))
    const looks = [
      ...here.map((seen) => () => lookAtTarget(this.#db, seen, Date.now())),
      ...[...repos].map((repo) => () => lookAtSettings(this.#db, repo, Date.now())),
    ]
    for (const look of looks) await look().catch(this.#onError)
  }
}
