/** The reasons for which the daemon refuses a request. */
import { AppError, type Blame } from "../base/errors.ts"

const BLAME = {
  "daemon.running": "user",
  "daemon.address": "user",
  "home.unknown": "user",
  "home.stopped": "world",
  "home.silent": "world",
  "home.other_version": "world",
  "request.invalid": "user",
  "request.read_only": "user",
  "request.unauthorized": "user",
  "request.upgrade_required": "user",
  "task.not_found": "user",
  "task.ambiguous": "user",
  "task.refused": "user",
  "task.cycle": "user",
  "agent.unknown": "user",
  "agent.unavailable": "user",
  "programs.missing": "user",
  "repo.unknown": "user",
  "repo.unclear": "user",
  "repo.repeated": "user",
  "repo.not_git": "user",
  "repo.path_taken": "user",
  "repo.no_commits": "user",
  "repo.target_missing": "user",
  "forge.unknown": "user",
  "files.unknown": "user",
  "files.refused": "user",
  "start.unknown": "user",
  "start.refused": "user",
  "start.unreachable": "world",
  "landing.not_found": "user",
  "landing.refused": "user",
  "operation.unknown": "world",
  "rescue.not_found": "user",
  "rescue.ambiguous": "user",
  "branch.refused": "user",
  "work_item.active": "user",
  "approval.stale": "user",
  "work.not_found": "user",
  "work.ambiguous": "user",
  "work.refused": "user",
  "land.unsupported": "user",
  "schedule.unknown": "user",
  "schedule.ambiguous": "user",
  "schedule.nothing_ready": "world",
  "source.unusable": "world",
  "link.unknown": "user",
  "link.expired": "user",
  "link.used": "user",
  "link.stale": "user",
  "question.none": "user",
  "question.unclear": "user",
  "turn.over": "user",
  "agent.busy": "user",
} as const satisfies Record<string, Blame>

export type DaemonErrorCode = keyof typeof BLAME

export class DaemonError extends AppError<DaemonErrorCode> {
  constructor(code: DaemonErrorCode, message: string, hints: readonly string[] = []) {
    super(code, BLAME[code], message, { hints })
  }
}

/** The repository could not be cloned now. */
export class CloneError extends AppError {
  /** @param why git's message, without passwords. */
  constructor(repo: string, why: string) {
    super("repo.clone_failed", "world", `The repository ${repo} could not be cloned: ${why}`, {
      transient: true,
      hints: [
        "Ask again once the other side can be reached: nothing was left half done.",
        "`working_directory.auto_clone` of the agent in coppice.yml says where it is cloned from.",
      ],
    })
  }
}

/** The daemon has been asked to end, and accepts no new requests. */
export class DaemonEndingError extends AppError {
  constructor() {
    super("daemon.ending", "world", "The daemon is ending.", {
      transient: true,
      hints: ["Ask again once it has ended: that starts the next daemon."],
    })
  }
}
