/**
 * Reads where a repository's remote leads, for a person to approve.
 *
 * An agent may write into a repository's configuration, and the daemon pushes to the remote. So the address
 * is a fact of the home, recorded once (docs/adr/0146).
 */
import { resolve } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import { fs } from "../../api/client/node-builtins.ts"
import { withoutLogin } from "../../base/text/address.ts"
import type { Config, RepoConfig } from "../../config/config.ts"
import type { Env } from "../../config/substitute.ts"
import { askAddresses } from "../../kernel/git/ask/addresses.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import { findCommonDir, withoutGit } from "./git-config.ts"

/** Hashes of the addresses, by the path of the repository as configured. */
export type ApprovedAddresses = Readonly<Record<string, string>>

export type AddressToApprove = {
  readonly repo: RepoConfig
  /** A hash. */
  readonly found: string
  /** For a person, without logins. */
  readonly shown: string
}

/** No remote has this hash, so a remote that an agent adds later gets nothing. */
export const NO_ADDRESS = "none"

/** The repositories that Coppice pushes, each with the address of its remote. */
export async function listAddresses(
  home: string,
  config: Config,
  env: Env,
  approved: ApprovedAddresses = {},
): Promise<AddressToApprove[]> {
  const isPull = config.agents.some(({ landing }) => landing.mode === "pr")
  const pushed = config.repos.filter(
    ({ path, pushTarget }) => pushTarget || isPull || approved[path] !== undefined,
  )
  const found = await Promise.all(pushed.map((repo) => readAddresses(home, repo, env)))
  return found.filter((one) => one !== undefined)
}

async function readAddresses(
  home: string,
  repo: RepoConfig,
  env: Env,
): Promise<AddressToApprove | undefined> {
  const at = resolve(home, repo.path)
  const gitDir = fs.existsSync(at) ? findCommonDir(at) : undefined
  if (gitDir === undefined) return undefined
  const addresses = await askAddresses(repo.forge.remote, async (args) => {
    const answer = await askProgram(["git", "--git-dir", gitDir, ...args], withoutGit(env))
    return "said" in answer ? answer.said : undefined
  })
  if (!addresses) return { repo, found: NO_ADDRESS, shown: "nowhere" }
  const { push, fetch } = addresses
  const from = push === fetch ? "" : `, and fetches from ${withoutLogin(fetch)}`
  return { repo, found: hashAddresses(addresses), shown: `${withoutLogin(push)}${from}` }
}

/** The configuration with the approved addresses. */
export function withApprovedAddresses(config: Config, approved: ApprovedAddresses = {}): Config {
  const repos = config.repos.map((repo) => {
    const pushAddress = approved[repo.path]
    return pushAddress === undefined ? repo : { ...repo, pushAddress }
  })
  return { ...config, repos }
}
