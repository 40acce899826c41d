/** Errors between a command and its daemon. */
import { AppError, type ErrorDocument } from "../../base/errors.ts"

/** No folder here can be a home. */
export class HomeNotFoundError extends AppError {
  constructor(message: string) {
    const hints = [
      "Go into a git repository (`cd`), or make this folder one (`git init`).",
      "Or name another folder with `--home <dir>` or COPPICE_HOME.",
    ]
    super("home.not_found", "user", message, { hints })
  }
}

/** The folder for a home's state cannot be made or written, or other users can write it. */
export class StateDirError extends AppError {
  /** @param fault continues "the state directory …". */
  constructor(dir: string, fault: string, options?: ErrorOptions) {
    super("state.unwritable", "user", `The state directory ${dir} ${fault}.`, {
      hints: [
        "Make it a folder of your own that no other user can write: `chmod go-w <folder>`.",
        "Or name another folder with COPPICE_STATE.",
      ],
      ...options,
    })
  }
}

/** A daemon was started and did not get ready. */
export class DaemonNotStartedError extends AppError {
  /** @param log path of the daemon's log. */
  constructor(message: string, log: string) {
    super("daemon.not_started", "world", message, {
      hints: [`Its log is ${log}.`, "`coppice up` starts it in the foreground."],
    })
  }
}

/** The daemon that a command was talking to has ended, or does not answer. */
export class DaemonGoneError extends AppError {
  static readonly start = "`coppice up -d` starts the daemon; tasks continue where they were."

  constructor(message: string, hints: readonly string[] = [DaemonGoneError.start]) {
    super("daemon.gone", "world", message, { hints })
  }
}

/** The daemon was asked to end and still runs. */
export class DaemonNotEndedError extends AppError {
  constructor(pid: number, waitedMs: number) {
    const message = `The daemon (pid ${pid}) has not ended within ${waitedMs / 1000} s.`
    super("daemon.not_ended", "world", message, {
      hints: [`\`kill -9 ${pid}\` ends it; nothing is lost, tasks continue with the next daemon.`],
    })
  }
}

/** An error that the daemon reported, as it reported it. */
export class RemoteError extends AppError {
  constructor({ code, blame, message, hints }: ErrorDocument["error"]) {
    super(code, blame, message, { hints })
  }
}
