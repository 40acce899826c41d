/** Where a remote leads: recorded before the agent starts, because an agent can change it. */
import { createHash } from "node:crypto"
import { type RemoteAddresses, readAddresses } from "../../git/ask/remote-branch.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { PullRequest } from "../../store/pull-requests.ts"
import type { Configured, Step } from "../action.ts"
import { remoteOf } from "./remote.ts"

/** Recorded in place of the addresses, which may hold a password. */
export const hashAddresses = ({ push, fetch }: RemoteAddresses): string =>
  createHash("sha256").update(`${push}\n${fetch}`).digest("hex")

/** @returns the address to push to; undefined if the remote leads elsewhere than recorded. */
export async function findAddress(
  step: Step<Configured>,
  repo: LandingRepo,
  { address: recorded }: PullRequest,
): Promise<string | undefined> {
  const addresses = await readAddresses(repo.path, remoteOf(step, repo))
  return addresses && hashAddresses(addresses) === recorded ? addresses.push : undefined
}
