/**
 * Errors: what went wrong, and who can put it right.
 *
 * An expected outcome is a value, not an error. We throw only when the caller cannot go on.
 * A catcher chooses by `blame` alone:
 *
 *   user   explain, with hints      exit 2     retried only if `transient`
 *   world  git, network, disk       exit 1     retried after a rest if `transient`
 *   bug    broken assertion         exit 70    never retried
 *
 * `code` is stable and listed in docs/generated/errors.md; messages may change freely.
 */
export type Blame = "user" | "world" | "bug"

export abstract class AppError<Code extends string = string> extends Error {
  readonly code: Code
  readonly blame: Blame
  override readonly name: string = this.constructor.name
  readonly transient: boolean
  /** Next steps for a person, one sentence each, most likely first. */
  readonly hints: readonly string[]

  constructor(
    code: Code,
    blame: Blame,
    message: string,
    { hints = [], transient = false, ...options }: ErrorDetails = {},
  ) {
    super(message, options)
    this.code = code
    this.blame = blame
    this.transient = transient
    this.hints = hints
  }
}

type ErrorDetails = ErrorOptions & {
  readonly hints?: readonly string[]
  readonly transient?: boolean
}

/** Whether a later try may succeed: a full disk, a held lock. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.transient
  return SCARCE.has((error as { readonly code?: unknown } | null | undefined)?.code)
}

/** System errors for a resource that has run out and may come back. */
const SCARCE: ReadonlySet<unknown> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
])

/** A failed assertion. */
export class BugError extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super("bug", "bug", message, options)
  }
}

/** System errors for an unusable disk or folder: not a bug. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "it is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk fails",
}

type Refusal = Error & { readonly code: string; readonly path: string }

function isRefusal(error: unknown): error is Refusal {
  const { code, path } = (error ?? {}) as { readonly code?: unknown; readonly path?: unknown }
  const isNamed = typeof code === "string" && Object.hasOwn(REFUSALS, code)
  return isNamed && typeof path === "string" && !(error instanceof AppError)
}

/** The system refuses to read or write a file. */
class SystemRefusedError extends AppError {
  constructor({ code, path, ...cause }: Refusal) {
    const why = `${REFUSALS[code]} (${code})`
    const hints = ["Put that right: it is the disk, the folder's mode or its owner."]
    super("system.refused", "world", `${path} cannot be read or written: ${why}.`, { hints, cause })
  }
}

/** An error as it crosses a process boundary: HTTP bodies, `--json`, a daemon that cannot start. */
export type ErrorDocument = {
  readonly error: {
    readonly code: string
    readonly blame: Blame
    readonly message: string
    readonly hints: readonly string[]
  }
}

/** The document for `error` at a boundary. An error of an unknown class is a bug. */
export function toErrorDocument(thrown: unknown): ErrorDocument {
  const error = isRefusal(thrown) ? new SystemRefusedError(thrown) : thrown
  if (error instanceof AppError) {
    const { code, blame, message, hints } = error
    return { error: { code, blame, message, hints } }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { error: { code: "bug", blame: "bug", message, hints: [] } }
}

/** The process exit code for an error of this blame. */
export function exitCodeFor(blame: Blame): 1 | 2 | 70 {
  return blame === "user" ? 2 : blame === "world" ? 1 : 70
}
