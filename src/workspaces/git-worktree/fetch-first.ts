/** Brings what is known of the target's remote up to date, where there is one. */
import { fetchRemote } from "../../git/refs/fetch.ts"
import type { Tracking } from "../../git/refs/remote.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { untilAborted } from "../locks/until-aborted.ts"

/** A remote that is this slow is as good as away; the work starts from what is here. */
const FETCH_TIMEOUT_MS = 60_000

type SharedFetch = {
  readonly notices: Promise<readonly string[]>
  /** Ends it when nobody waits for it any more. */
  readonly abandon: AbortController
  waiters: number
}

/** Fetches that have not begun yet, by repository and remote: who asks now is served by them. */
const waiting = new Map<string, SharedFetch>()

/**
 * @param tracking of the target.
 * @returns notices: a fetch that fails costs freshness, not the job.
 * @throws `signal`'s reason; others who wait for the same fetch still get it.
 */
export async function fetchFirst(
  repository: Repository,
  tracking: Tracking,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const remote = findRemote(tracking)
  if (remote === undefined) return []
  const key = `${repository.commonDir}\0${remote}`
  const found = waiting.get(key)
  const fetch = found && !found.abandon.signal.aborted ? found : begin(key, repository, remote)
  fetch.waiters++
  try {
    return await untilAborted(fetch.notices, signal)
  } finally {
    fetch.waiters--
    if (fetch.waiters === 0) await end(fetch, signal.reason)
  }
}

/** Begins to wait for the repository's lock, then fetches. */
function begin(key: string, { commonDir, root }: Repository, remote: string): SharedFetch {
  const abandon = new AbortController()
  const isBegun = () => {
    if (waiting.get(key) === fetch) waiting.delete(key)
  }
  const fetchIt = () => {
    isBegun()
    return fetchNow(root, remote, abandon.signal)
  }
  const notices = withRepoLock(commonDir, fetchIt, abandon.signal).finally(isBegun)
  const fetch: SharedFetch = { notices, abandon, waiters: 0 }
  waiting.set(key, fetch)
  return fetch
}

/** Nothing of git runs on behind whoever was the last to wait. */
async function end({ abandon, notices }: SharedFetch, reason: unknown): Promise<void> {
  abandon.abort(reason)
  await Promise.allSettled([notices]) // how it ended is told to those who waited
}

async function fetchNow(
  repo: string,
  remote: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const fetched = await fetchRemote(repo, remote, { timeoutMs: FETCH_TIMEOUT_MS, signal })
  if (fetched.kind === "fetched") return []
  const why = fetched.kind === "failed" ? fetched.message : "it did not answer in time"
  return [`The remote ${remote} could not be fetched, so the work starts from what is here: ${why}`]
}

/** The remote of the target's upstream, else `origin`. */
function findRemote({ remotes, upstream }: Tracking): string | undefined {
  const isOf = (remote: string) => upstream?.startsWith(`refs/remotes/${remote}/`)
  return remotes.find(isOf) ?? remotes.find((remote) => remote === "origin")
}
