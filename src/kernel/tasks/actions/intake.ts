/** Lets in what a new task needs from outside. Features fill it in. */

import type { NewTask } from "../../../api/wire/requests.ts"
import type { TaskId } from "../../../base/ids.ts"
import type { RepoConfig } from "../../../config/config.ts"
import type { KeptFiles } from "../rules/files.ts"

export type Intake = {
  /**
   * Clones the repository if its folder does not exist yet. @throws {DaemonError} `repo.path_taken` (user);
   * {CloneError} (world).
   */
  ensureCloned(repo: RepoConfig): Promise<void>
  /**
   * Refuses the repository at this path if its own git configuration names programs that no person has
   * approved. @throws {TrustNeededError} (user).
   */
  requireGitTrust(path: string): Promise<void>
  /** The same for a set-up that a file of another tool names. */
  requireSetupTrust(repo: RepoConfig): void
  /** The same for another address of the remote than the one on record. */
  requireAddress(pushed: { readonly repo: RepoConfig; readonly path: string }): Promise<void>
  /** The nearest folder above the home that is the home of other tasks. */
  findOuterHome(): string | undefined
  /** Writes the files of a prompt. @throws {DaemonError} `files.refused` (user). */
  keepFiles(files: FilesToKeep): KeptFiles
}

/** Files that go with a task, as they were sent. */
export type FilesToKeep = {
  readonly task: TaskId
  readonly files: NonNullable<NewTask["files"]>
  readonly byAgent: boolean
}
