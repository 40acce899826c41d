/** The failures of a workspace, and the blame for them. */
import { existsSync } from "node:fs"
import { AppError, type Blame } from "../../base/errors.ts"
import type { RefName } from "../../base/ids.ts"

const BLAME = {
  "workspace.no_commits": "user",
  "workspace.target_missing": "user",
  "workspace.branch_clash": "user",
  "workspace.path_taken": "user",
  "workspace.path_refused": "user",
  "workspace.folder_refused": "user",
  "workspace.setup_failed": "world",
  "workspace.rescue_too_large": "world",
  "workspace.holds_repositories": "world",
  "workspace.no_ports": "world",
  "workspace.commits_untaken": "world",
} as const satisfies Record<string, Blame>

export type WorkspaceErrorCode = keyof typeof BLAME

/** A workspace cannot be set up, prepared or saved as requested. Nothing was left half done. */
export class WorkspaceError extends AppError<WorkspaceErrorCode> {
  constructor(code: WorkspaceErrorCode, message: string, hints: readonly string[]) {
    super(code, BLAME[code], message, { hints })
  }
}

/** The task's branch is checked out somewhere else. */
export class BranchInUseError extends AppError {
  constructor(branch: string, path: string) {
    const message = `The branch ${branch} is already active: it is checked out in ${path}.`
    super("workspace.branch_in_use", "user", message, {
      transient: true,
      hints: [
        "Wait until the task that works there is done, or cancel it.",
        `Or switch ${path} to another branch.`,
      ],
    })
  }
}

/** Another git holds the lock of a ref that keeps work. */
export class RefBusyError extends AppError {
  readonly ref: RefName

  constructor(ref: RefName) {
    const message = `the ref ${ref} is locked, or another program is changing it`
    super("workspace.ref_busy", "world", message, {
      transient: true,
      hints: ["Wait for the other git; if there is none, remove its `.lock` file."],
    })
    this.ref = ref
  }
}

/** A repository was moved, or its disk is away: no task is at fault, and all of them wait. */
class RepositoryGoneError extends AppError {
  constructor(path: string, cause: unknown) {
    const message = `the repository ${path} does not exist at present`
    super("workspace.repository_gone", "world", message, {
      transient: true,
      hints: ["Put it back. If it was moved, run a command of Coppice in the new place."],
      cause,
    })
  }
}

/** @throws {RepositoryGoneError} if one of these repositories is gone, so that nothing else counts. */
export function refuseGone(repos: readonly { readonly path: string }[], cause: unknown): void {
  const gone = repos.find(({ path }) => !existsSync(path))
  if (gone) throw new RepositoryGoneError(gone.path, cause)
}

/** A file named by `copy` or `.worktreeinclude` could not be copied; no part of it was left. */
export class CopyError extends AppError {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    const isDiskFull = cause.code === "ENOSPC" || cause.code === "EDQUOT"
    super("workspace.copy_failed", "world", `${path} could not be copied: ${cause.message}`, {
      transient: isDiskFull,
      hints: isDiskFull
        ? ["Make room on the disk of the worktrees; the copy is then tried again."]
        : ["Take it out of `copy` in coppice.yml or out of .worktreeinclude, or make it readable."],
      cause,
    })
  }
}
