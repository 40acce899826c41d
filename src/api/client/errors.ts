/** Errors between a command and its daemon. */
import { AppError, type Blame, type ErrorDocument } from "../../base/errors.ts"

/** No folder here can be a home. */
export class HomeNotFoundError extends AppError {
  readonly code = "home.not_found"
  readonly blame = "user"
  override readonly hints = [
    "Go into a git repository (`cd`), or make this folder one (`git init`).",
    "Or name another folder with `--home <dir>` or COPPICE_HOME.",
  ]
}

/** The folder for a home's state cannot be made or written, or other users can write it. */
export class StateDirError extends AppError {
  readonly code = "state.unwritable"
  readonly blame = "user"
  override readonly hints = [
    "Make it a folder of your own that no other user can write: `chmod go-w <folder>`.",
    "Or name another folder with COPPICE_STATE.",
  ]

  /** @param fault continues "the state directory …". */
  constructor(dir: string, fault: string, options?: ErrorOptions) {
    super(`The state directory ${dir} ${fault}.`, options)
  }
}

/** A daemon was started and did not get ready. */
export class DaemonNotStartedError extends AppError {
  readonly code = "daemon.not_started"
  readonly blame = "world"
  override readonly hints: readonly string[]

  /** @param log path of the daemon's log. */
  constructor(message: string, log: string) {
    super(message)
    this.hints = [`Its log is ${log}.`, "`coppice up` starts it in the foreground."]
  }
}

/** The daemon that a command was talking to has ended, or does not answer. */
export class DaemonGoneError extends AppError {
  static readonly start = "`coppice up -d` starts the daemon; tasks continue where they were."
  readonly code = "daemon.gone"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(message: string, hints: readonly string[] = [DaemonGoneError.start]) {
    super(message)
    this.hints = hints
  }
}

/** The daemon was asked to end and still runs. */
export class DaemonNotEndedError extends AppError {
  readonly code = "daemon.not_ended"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(pid: number, waitedMs: number) {
    super(`The daemon (pid ${pid}) has not ended within ${waitedMs / 1000} s.`)
    this.hints = [
      `\`kill -9 ${pid}\` ends it; nothing is lost, tasks continue with the next daemon.`,
    ]
  }
}

/** An error that the daemon reported, as it reported it. */
export class RemoteError extends AppError {
  readonly code: string
  readonly blame: Blame
  override readonly hints: readonly string[]

  constructor({ code, blame, message, hints }: ErrorDocument["error"]) {
    super(message)
    this.code = code
    this.blame = blame
    this.hints = hints
  }
}
