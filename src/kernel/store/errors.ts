/** Failures of the state database, and what a person can do about each. */
import { AppError, type Blame } from "../../base/errors.ts"

type StoreErrorKind = {
  readonly blame: Blame
  readonly transient: boolean
  readonly message: (path: string) => string
  readonly hints: readonly string[]
}

/** Every code that a {@link StoreError} can have. */
export const STORE_ERRORS = {
  "store.full": {
    blame: "world",
    transient: true,
    message: (path) => `The disk that holds ${path} is full.`,
    hints: ["Free some space; Coppice then continues automatically."],
  },
  "store.busy": {
    blame: "world",
    transient: true,
    message: (path) => `Another program is writing to ${path}.`,
    hints: ["Close the program that has the database open."],
  },
  "store.corrupt": {
    blame: "world",
    transient: false,
    message: (path) => `${path} is damaged, or not a database of Coppice.`,
    hints: [
      "Restore the file from a backup, or move it and the -wal and -shm files beside it away to start with an empty one.",
      "Branches, worktrees and rescue refs are in the repository and are not affected.",
    ],
  },
  "store.failed": {
    blame: "world",
    transient: false,
    message: (path) => `${path} cannot be read or written.`,
    hints: [
      "Check that its folder exists, is yours, and lies on a local disk that can be written.",
    ],
  },
  "store.too_new": {
    blame: "user",
    transient: false,
    message: (path) => `${path} was written by a newer version of Coppice.`,
    hints: [
      "Update Coppice.",
      "Or set COPPICE_STATE to another folder, to start this version with an empty state.",
    ],
  },
  "store.too_old": {
    blame: "user",
    transient: false,
    message: (path) => `${path} was written by an older version of Coppice, and is only read now.`,
    hints: ["`coppice up -d` brings it forward, as every start of the daemon does."],
  },
  "store.lock_timeout": {
    blame: "world",
    transient: true,
    message: (path) => `The lock ${path} is held by another process for too long.`,
    hints: ["See which process holds it with `lsof` or `fuser`, and whether it still works."],
  },
} as const satisfies Record<string, StoreErrorKind>

export type StoreErrorCode = keyof typeof STORE_ERRORS

/** The database, or a lock file, at `path` cannot be used. */
export class StoreError extends AppError<StoreErrorCode> {
  constructor(code: StoreErrorCode, path: string, cause?: unknown) {
    const { blame, transient, message, hints } = STORE_ERRORS[code]
    const detail = cause instanceof Error ? ` (${cause.message})` : ""
    super(code, blame, message(path) + detail, { transient, hints, cause })
  }
}

/**
 * Converts SQLite's `error` for the database at `path`.
 *
 * Returns any other error as it is: a violated constraint, for example, is a bug.
 *
 * @see https://www.sqlite.org/rescode.html
 */
export function toStoreError(error: unknown, path: string): unknown {
  const primary = sqliteCode(error)?.split("_")[1]
  const code = primary === undefined ? undefined : CODES[primary]
  return code === undefined ? error : new StoreError(code, path, error)
}

/** Whether SQLite refused because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith("SQLITE_BUSY") === true
}

/** By the second word of SQLite's result code, e.g. `SQLITE_IOERR_WRITE`. */
const CODES: Readonly<Record<string, StoreErrorCode>> = {
  FULL: "store.full",
  BUSY: "store.busy",
  CORRUPT: "store.corrupt",
  NOTADB: "store.corrupt",
  IOERR: "store.failed",
  CANTOPEN: "store.failed",
  READONLY: "store.failed",
  PERM: "store.failed",
  NOLFS: "store.failed",
}

function sqliteCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined
}
