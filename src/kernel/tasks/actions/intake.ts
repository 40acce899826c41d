/** Lets in what a new task needs from outside. Features fill it in. */

import type { RepoConfig } from "../../../config/config.ts"

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
}
