/** Refuses new work in a repository whose own git configuration names programs that no person approved. */
import { readGitPrograms } from "../client/trust/git-config.ts"
import { areProgramsApproved } from "../client/trust/record.ts"
import { TrustNeededError } from "../core/config/errors.ts"
import type { Fleet } from "./fleet.ts"

/** @throws {TrustNeededError} (user) */
export async function requireGitTrust(
  { stateDir }: Pick<Fleet, "stateDir">,
  path: string,
): Promise<void> {
  const { repo, programs } = await readGitPrograms(path, process.env)
  if (areProgramsApproved(stateDir, repo, programs)) return
  const keys = [...new Set(programs.map(({ key }) => key))]
  throw new TrustNeededError(
    `The git configuration of ${repo} itself names programs (${keys.slice(0, 5).join(", ")})`,
  )
}
