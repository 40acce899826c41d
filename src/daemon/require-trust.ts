/**
 * What a repository's own git configuration may run: nothing that no person approved.
 *
 * The first task in a repository whose configuration names programs is refused until a person says
 * what should happen. Later changes, which an agent can make, run nothing (git/programs.ts) and keep
 * nobody from working; `coppice doctor` names them.
 */
import { readGitPrograms } from "../client/trust/git-config.ts"
import { changeTrust, hashPrograms, readTrust } from "../client/trust/record.ts"
import { TrustNeededError } from "../core/config/errors.ts"
import type { Rest } from "../core/retry.ts"
import { approveProgramsBy } from "../git/programs.ts"
import type { Fleet } from "./fleet.ts"
import type { LiveConfig } from "./live-config.ts"

/** From now on git runs what the record of this home says. */
export function approveByRecord(stateDir: string): void {
  approveProgramsBy((gitDir, hash) => readTrust(stateDir).git[gitDir] === hash)
}

/** @throws {TrustNeededError} (user) */
export async function requireGitTrust(
  { stateDir }: Pick<Fleet, "stateDir">,
  path: string,
): Promise<void> {
  const found = await readGitPrograms(path, process.env)
  if (!found || readTrust(stateDir).git[found.gitDir] !== undefined) return
  const { gitDir, programs } = found
  if (programs.length > 0) {
    const keys = [...new Set(programs.map(({ key }) => key))].slice(0, 5).join(", ")
    throw new TrustNeededError(`The configuration in ${gitDir} itself names programs (${keys})`)
  }
  changeTrust(stateDir, (now) => ({ ...now, git: { ...now.git, [gitDir]: hashPrograms([]) } }))
}

/** Why nothing goes on in such a home. */
export function restOfUnapproved({ isUnapproved }: LiveConfig): Rest | undefined {
  if (!isUnapproved) return undefined
  const unblock = "`coppice trust` shows what would run and asks you"
  return { text: "coppice.yml is not approved", retryAtMs: null, unblock }
}

/** How soon an approval is noticed. */
const APPROVAL_LOOK_MS = 200

/**
 * A home whose configuration nobody has approved can only be read: nothing runs and nothing is made.
 *
 * @returns a function that ends the waiting.
 */
export function startWhenApproved(config: LiveConfig, begin: () => void): () => void {
  const timer = setInterval(look, APPROVAL_LOOK_MS)
  look()
  return () => clearInterval(timer)

  function look(): void {
    if (config.isUnapproved) return
    clearInterval(timer)
    begin()
  }
}
