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
export class WorkspaceError extends AppError {
  readonly code: WorkspaceErrorCode
  readonly blame: Blame
  override readonly hints: readonly string[]

  constructor(code: WorkspaceErrorCode, message: string, hints: readonly string[]) {
    super(message)
    this.code = code
    this.blame = BLAME[code]
    this.hints = hints
  }
}

/** The task's branch is checked out somewhere else. */
export class BranchInUseError extends AppError {
  readonly code = "workspace.branch_in_use"
  readonly blame = "user"
  override readonly transient = true
  override readonly hints: readonly string[]

  constructor(branch: string, path: string) {
    super(`The branch ${branch} is already active: it is checked out in ${path}.`)
    this.hints = [
      "Wait until the task that works there is done, or cancel it.",
      `Or switch ${path} to another branch.`,
    ]
  }
}

/** Another git holds the lock of a ref that keeps work. */
export class RefBusyError extends AppError {
  readonly code = "workspace.ref_busy"
  readonly blame = "world"
  override readonly transient = true
  override readonly hints = ["Wait for the other git; if there is none, remove its `.lock` file."]

  readonly ref: RefName

  constructor(ref: RefName) {
    super(`the ref ${ref} is locked, or another program is changing it`)
    this.ref = ref
  }
}

/** A repository was moved, or its disk is away: no task is at fault, and all of them wait. */
class RepositoryGoneError extends AppError {
  readonly code = "workspace.repository_gone"
  readonly blame = "world"
  override readonly transient = true
  override readonly hints = [
    "Put it back. If it was moved, run a command of Coppice in the new place.",
  ]

  constructor(path: string, cause: unknown) {
    super(`the repository ${path} does not exist at present`, { cause })
  }
}

/** @throws {RepositoryGoneError} if one of these repositories is gone, so that nothing else counts. */
export function refuseGone(repos: readonly { readonly path: string }[], cause: unknown): void {
  const gone = repos.find(({ path }) => !existsSync(path))
  if (gone) throw new RepositoryGoneError(gone.path, cause)
}

/** A file named by `copy` or `.worktreeinclude` could not be copied; no part of it was left. */
export class CopyError extends AppError {
  readonly code = "workspace.copy_failed"
  readonly blame = "world"
  override readonly transient: boolean
  override readonly hints: readonly string[]

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`${path} could not be copied: ${cause.message}`, { cause })
    const isDiskFull = cause.code === "ENOSPC" || cause.code === "EDQUOT"
    this.transient = isDiskFull
    this.hints = isDiskFull
      ? ["Make room on the disk of the worktrees; the copy is then tried again."]
      : ["Take it out of `copy` in coppice.yml or out of .worktreeinclude, or make it readable."]
  }
}
