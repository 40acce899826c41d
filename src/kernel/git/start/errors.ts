/** Failures of git. Meaning is read from exit codes and files; what git says is only quoted. */
import { constants } from "node:os"
import { AppError, type Blame } from "../../../base/errors.ts"
import { GIT_HINT } from "../../../base/requirements.ts"

export type GitResult = {
  readonly exitCode: number
  /** Raw bytes, decoded as latin1; `stdoutText` gives text. */
  readonly stdout: string
  /** For people only. */
  readonly stderr: string
  /** True when there was more output than `cutAtBytes`; git was then ended. */
  readonly cut: boolean
}

/** Exit codes of a git that got SIGKILL or SIGTERM: git did not choose them. */
const KILLED: readonly number[] = [128 + constants.signals.SIGKILL, 128 + constants.signals.SIGTERM]

/** git ran and ended with an exit code that its caller did not list. */
export class GitError extends AppError {
  readonly args: readonly string[]
  readonly result: GitResult

  /** Made by failure.ts, which looks at the disk. @param about `disk`: a phrase about one that takes no data. */
  constructor(
    args: readonly string[],
    result: GitResult,
    { disk }: { readonly disk?: string | undefined } = {},
  ) {
    const said = result.stderr.trim().split("\n")[0] || "it said nothing"
    const text = `git ${args[0]} exited with ${result.exitCode}: ${said}`
    super("git.failed", "world", disk === undefined ? text : `${disk} (${text})`, {
      transient: disk !== undefined || KILLED.includes(result.exitCode),
      hints: disk ? ["Make room there, or make it writable."] : [],
    })
    this.args = args
    this.result = result
  }
}

const UNUSABLE = {
  "git.missing": "user",
  "git.too_old": "user",
  "git.repository_refused": "user",
  "git.setting_unapproved": "user",
  "git.worktree_elsewhere": "user",
} as const satisfies Record<string, Blame>

/** There is no git to run, or only one that is too old, or it refuses the repository that is there. */
export class GitUnusableError extends AppError<keyof typeof UNUSABLE> {
  constructor(
    code: keyof typeof UNUSABLE,
    message: string,
    { hints = [GIT_HINT], ...options }: ErrorOptions & { readonly hints?: readonly string[] } = {},
  ) {
    super(code, UNUSABLE[code], message, {
      transient: code === "git.setting_unapproved", // a person approves it, and work goes on
      hints,
      ...options,
    })
  }
}

/** The system could not start git now: too many processes, open files or arguments. */
export class GitStartError extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super("git.not_started", "world", message, { ...options, transient: true })
  }
}

/** The folder in which git should run does not exist. */
export class FolderMissingError extends AppError {
  constructor(folder: string) {
    super("git.folder_missing", "world", `the folder ${folder} does not exist`, {
      hints: [
        "Put it back; or, where a repository of coppice.yml should be there, correct `repos.*.path`.",
      ],
    })
  }
}

/** git printed more than we hold in memory. */
export class OutputTooLongError extends AppError {
  constructor(args: readonly string[], bytesMax: number) {
    super("git.output_too_long", "world", `git ${args[0]} said more than ${bytesMax} bytes`)
  }
}

/** Another process holds the index, or one that died left its lock. */
export class IndexLockedError extends AppError {
  /** Absolute path of the lock's file. */
  readonly lock: string

  constructor(lock: string) {
    super("git.index_locked", "world", `the index is locked by ${lock}`, {
      transient: true,
      hints: [`Wait for the other git; if there is none, remove ${lock}.`],
    })
    this.lock = lock
  }
}
