/** Where a remote leads: recorded before the agent starts, because an agent can change it. */
import { createHash } from "node:crypto"
import { readPushAddress } from "../../git/ask/remote-branch.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { PullRequest } from "../../store/pull-requests.ts"
import type { Configured, Step } from "../action.ts"
import { remoteOf } from "./remote.ts"

/** Recorded in place of the address, which may hold a password. */
export const hashAddress = (address: string): string =>
  createHash("sha256").update(address).digest("hex")

/** @returns the address of the remote; undefined if it is not the recorded one. */
export async function findAddress(
  step: Step<Configured>,
  repo: LandingRepo,
  { address: recorded }: PullRequest,
): Promise<string | undefined> {
  const address = await readPushAddress(repo.path, remoteOf(step, repo))
  return address !== undefined && hashAddress(address) === recorded ? address : undefined
}
