/** Fetches the target's remote, if it has one. */

import { untilAborted } from "../../../base/until-aborted.ts"
import { goesOn, type WallWait } from "../../../base/wall-wait.ts"
import type { Tracking } from "../../git/ask/remote.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { fetchRemote } from "../../git/change/fetch.ts"
import { waitingFor } from "../../waits/waits.ts"
import { withRepoLock } from "../locks/repo-lock.ts"

/**
 * A silent remote delays a start this long. We then skip it for a while and try again, both longer
 * each time, so that a slow one gets its minute in the end.
 */
const SILENT_MS_MIN = 10_000
const SILENT_MS_MAX = 60_000
const LEFT_ALONE_MS_MIN = 5 * 60_000
const LEFT_ALONE_MS_MAX = 60 * 60_000

/** Remotes that did not answer in time, by repository and remote. */
const silent = new Map<string, WallWait & { readonly times: number }>()

type SharedFetch = {
  readonly notices: Promise<readonly string[]>
  /** Aborts the fetch when its last waiter has gone. */
  readonly abandon: AbortController
  waiters: number
}

/** Fetches that have not begun yet, by repository and remote; new callers share them. */
const waiting = new Map<string, SharedFetch>()

/**
 * @param tracking of the target.
 * @returns notices: a failed fetch costs freshness, not the job.
 * @throws {Error} the reason of `signal`; others who wait for the same fetch still get it.
 */
export async function fetchFirst(
  repository: Repository,
  tracking: Tracking,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const remote = findRemote(tracking)
  if (remote === undefined) return []
  const key = `${repository.commonDir}\0${remote}`
  const wait = silent.get(key)
  if (wait && goesOn(wait, Date.now())) return [leftAlone(remote, wait)]
  const found = waiting.get(key)
  const fetch = found && !found.abandon.signal.aborted ? found : begin(key, repository, remote)
  fetch.waiters++
  try {
    const asked = { text: `the remote ${remote} to be fetched`, unblock: ANSWERS }
    return await waitingFor(asked, () => untilAborted(fetch.notices, signal))
  } finally {
    fetch.waiters--
    if (fetch.waiters === 0) await end(fetch, signal.reason)
  }
}

/** Waits for the repository's lock, then fetches. */
function begin(key: string, { commonDir, root }: Repository, remote: string): SharedFetch {
  const abandon = new AbortController()
  const isBegun = () => {
    if (waiting.get(key) === fetch) waiting.delete(key)
  }
  const fetchIt = () => {
    isBegun()
    return fetchNow({ key, root, remote }, abandon.signal)
  }
  const notices = withRepoLock(commonDir, fetchIt, abandon.signal).finally(isBegun)
  const fetch: SharedFetch = { notices, abandon, waiters: 0 }
  waiting.set(key, fetch)
  return fetch
}

/** No git process outlives the last waiter. */
async function end({ abandon, notices }: SharedFetch, reason: unknown): Promise<void> {
  abandon.abort(reason)
  await Promise.allSettled([notices]) // the waiters get its result
}

type Remote = { readonly key: string; readonly root: string; readonly remote: string }

async function fetchNow(
  { key, root, remote }: Remote,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wait = silent.get(key)
  if (wait && goesOn(wait, Date.now())) return [leftAlone(remote, wait)] // another caller has just waited
  const { times = 0 } = wait ?? {}
  const timeoutMs = Math.min(SILENT_MS_MAX, SILENT_MS_MIN * 2 ** times)
  const fetched = await fetchRemote(root, remote, { timeoutMs, signal })
  if (fetched.kind === "timed_out") {
    const aloneMs = Math.min(LEFT_ALONE_MS_MAX, LEFT_ALONE_MS_MIN * 2 ** times)
    const fromMs = Date.now()
    silent.set(key, { times: times + 1, fromMs, untilMs: fromMs + aloneMs })
    return [notFetched(remote, `it did not answer within ${timeoutMs / 1000} s`)]
  }
  silent.delete(key)
  return fetched.kind === "fetched" ? [] : [notFetched(remote, fetched.message)]
}

const ANSWERS = "it answers, or its time is up: then the work starts from what is here"

const notFetched = (remote: string, why: string) =>
  `The remote ${remote} could not be fetched, so the work starts from what is here: ${why}`

const leftAlone = (remote: string, { untilMs }: WallWait) =>
  notFetched(remote, `it was silent, and is asked again after ${new Date(untilMs).toISOString()}`)

/** The remote of the target's upstream, else `origin`. */
function findRemote({ remotes, upstream }: Tracking): string | undefined {
  const isOf = (remote: string) => upstream?.startsWith(`refs/remotes/${remote}/`)
  return remotes.find(isOf) ?? remotes.find((remote) => remote === "origin")
}
