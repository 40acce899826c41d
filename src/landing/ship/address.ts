/** Where a remote leads: recorded before the agent starts, because an agent can change it. */
import { createHash } from "node:crypto"
import { type Remote, readRemote } from "../../git/ask/remote-branch.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { PullRequest } from "../../store/pull-requests.ts"
import type { Configured, Step } from "../action.ts"
import { remoteOf } from "./remote.ts"

/** Recorded in place of the addresses, which may hold a password. */
export const hashAddresses = ({ push, fetch }: Omit<Remote, "name">): string =>
  createHash("sha256").update(`${push}\n${fetch}`).digest("hex")

/** @returns the remote to push to; undefined if it leads elsewhere than recorded. */
export async function findRemote(
  step: Step<Configured>,
  repo: LandingRepo,
  { address: recorded }: PullRequest,
): Promise<Remote | undefined> {
  const remote = await readRemote(repo.path, remoteOf(step, repo))
  return remote && hashAddresses(remote) === recorded ? remote : undefined
}
