/**
 * Guards what a repository's own git configuration may run: only programs that a person approved.
 *
 * If the configuration names programs, or keys that we do not know, the first task in the repository is
 * refused until a person decides. Later changes, which an agent could make, run nothing: see
 * kernel/git/start/programs.ts. A program then blocks nothing; `coppice doctor` names it.
 */

import { realpathSync } from "node:fs"
import { lookUpRepository } from "../../api/client/repository.ts"
import type { Rest } from "../../base/retry.ts"
import { withoutLogin } from "../../base/text/address.ts"
import type { RepoConfig } from "../../config/config.ts"
import { TrustNeededError } from "../../config/errors.ts"
import type { LiveConfig } from "../../config/live/live-config.ts"
import { listConfig } from "../../kernel/git/ask/config.ts"
import { readRemote } from "../../kernel/git/ask/remote-branch.ts"
import { approveProgramsBy } from "../../kernel/git/start/programs.ts"
import type { Home } from "../../kernel/home.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import { isPending, listForeignSetups } from "../foreign-setup/foreign-setup.ts"
import { readGitPrograms } from "./git-config.ts"
import { type ApprovedAddresses, NO_ADDRESS } from "./push-address.ts"
import { changeTrust, hashForApproval, readTrust } from "./trust-record.ts"

/** From now on git runs the programs that this home's record approves. */
export function approveByRecord(stateDir: string): void {
  approveProgramsBy((gitDir, hash) => readTrust(stateDir).git[gitDir] === hash)
}

/** @throws {TrustNeededError} (user) @throws {GitUnusableError} `git.setting_unapproved` */
export async function requireGitTrust(
  { stateDir }: Pick<Home, "stateDir">,
  path: string,
): Promise<void> {
  const judged = lookUpRepository(realpathSync(path))?.gitDir
  if (judged === undefined) return
  if (readTrust(stateDir).git[judged] !== undefined) {
    await listConfig(path, ".") // throws where git would not start
    return
  }
  const found = await readGitPrograms(path, process.env)
  if (!found) return
  const { gitDir, programs } = found
  if (programs.length > 0) {
    const keys = [...new Set(programs.map(({ key }) => key))].slice(0, 5).join(", ")
    throw new TrustNeededError(
      `The configuration in ${gitDir} itself names programs, or keys that Coppice does not know (${keys})`,
    )
  }
  changeTrust(stateDir, (now) => ({ ...now, git: { ...now.git, [gitDir]: hashForApproval([]) } }))
}

/**
 * A set-up that a file of another tool names runs as approved, and a change of it is approved before
 * the next task.
 *
 * @throws {TrustNeededError} (user); {ForeignSetupError} (user) if such a file cannot be read.
 */
export function requireSetupTrust(
  { home, stateDir }: Pick<Home, "home" | "stateDir">,
  repo: RepoConfig,
): void {
  const asWritten = repo.setupFrom === undefined ? repo : { ...repo, setup: undefined }
  const { setups } = readTrust(stateDir)
  const [pending] = listForeignSetups(home, { repos: [asWritten] }, setups).filter(isPending)
  if (!pending) return
  const source = (pending.found ?? pending.approved)?.source
  const verb = pending.found ? "names" : "no longer names"
  throw new TrustNeededError(`${source} of ${repo.name} ${verb} the set-up of its worktrees`)
}

/**
 * The address of a remote is recorded once, by an approval or before the first work that is pushed there. A
 * person approves another one.
 *
 * @throws {TrustNeededError} (user)
 */
export async function requireAddress(
  { stateDir }: Pick<Home, "stateDir">,
  { repo, path }: { readonly repo: RepoConfig; readonly path: string },
): Promise<void> {
  const remote = await readRemote(path, repo.forge.remote)
  const found = remote ? hashAddresses(remote) : NO_ADDRESS
  const approved = readTrust(stateDir).addresses?.[repo.path]
  if (approved === found) return
  if (approved !== undefined) {
    const where = remote ? `leads to ${withoutLogin(remote.push)}` : "leads nowhere"
    throw new TrustNeededError(
      `The remote ${repo.forge.remote} of ${repo.name} ${where}, and not where it led when it was approved`,
    )
  }
  const record = (known: ApprovedAddresses = {}) => ({ [repo.path]: found, ...known })
  changeTrust(stateDir, (now) => ({ ...now, addresses: record(now.addresses) }))
}

/** Why nothing runs in a home without an approved configuration. */
export function restOfUnapproved({ isUnapproved }: LiveConfig): Rest | undefined {
  if (!isUnapproved) return undefined
  const unblock = "`coppice trust` shows what would run and asks you"
  return { text: "coppice.yml is not approved", retryAtMs: null, unblock }
}

/** How soon we notice an approval. */
const APPROVAL_LOOK_MS = 200

/**
 * Waits for the approval of the configuration. Until then the home is read-only: nothing runs and
 * nothing is created.
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
