/** Lets everything in, for tests that create tasks without a daemon. */
import type { Intake } from "../../src/kernel/tasks/actions/intake.ts"

export const OPEN_INTAKE: Intake = {
  ensureCloned: async () => {},
  requireGitTrust: async () => {},
  requireSetupTrust: () => {},
}
