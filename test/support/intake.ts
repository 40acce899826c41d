/** Lets everything in and keeps no files, for tests that create tasks without a daemon. */
import type { Intake } from "../../src/kernel/tasks/actions/intake.ts"
import { NO_FILES } from "../../src/kernel/tasks/rules/files.ts"

export const OPEN_INTAKE: Intake = {
  ensureCloned: async () => {},
  requireGitTrust: async () => {},
  requireSetupTrust: () => {},
  requireAddress: async () => {},
  findOuterHome: () => undefined,
  keepFiles: () => NO_FILES,
}
