/** What a request to the daemon can be refused for. */
import { AppError, type Blame } from "../core/errors.ts"

const BLAME = {
  "daemon.running": "user",
  "request.invalid": "user",
  "request.unauthorized": "user",
  "task.not_found": "user",
  "task.ambiguous": "user",
  "task.refused": "user",
  "agent.unknown": "user",
  "agent.unavailable": "user",
  "repo.unknown": "user",
  "repo.not_git": "user",
  "repo.no_commits": "user",
  "repo.target_missing": "user",
  "work_item.active": "user",
  "land.unsupported": "user",
} as const satisfies Record<string, Blame>

export type DaemonErrorCode = keyof typeof BLAME

export class DaemonError extends AppError {
  override readonly name = "DaemonError"
  readonly code: DaemonErrorCode
  readonly blame: Blame
  override readonly hints: readonly string[]

  constructor(code: DaemonErrorCode, message: string, hints: readonly string[] = []) {
    super(message)
    this.code = code
    this.blame = BLAME[code]
    this.hints = hints
  }
}
