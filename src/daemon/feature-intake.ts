/** Fills in what the kernel asks of features when a task is created. */
import { findOuterHome } from "../api/client/home.ts"
import { ensureCloned } from "../features/clone/ensure-cloned.ts"
import { keepFiles } from "../features/files/keep-files.ts"
import {
  requireAddress,
  requireGitTrust,
  requireSetupTrust,
} from "../features/trust/require-trust.ts"
import type { Home } from "../kernel/home.ts"
import type { Intake } from "../kernel/tasks/actions/intake.ts"

export const intakeOf = (
  home: Pick<Home, "db" | "ending" | "home" | "stateDir" | "world">,
): Intake => ({
  ensureCloned: (repo) => ensureCloned(home, repo),
  requireGitTrust: (path) => requireGitTrust(home, path),
  requireSetupTrust: (repo) => requireSetupTrust(home, repo),
  requireAddress: (pushed) => requireAddress(home, pushed),
  findOuterHome: () => findOuterHome(home.home, process.env),
  keepFiles: (files) => keepFiles(home, files),
})
