/** Brings what is known of the target's remote up to date, where there is one. */
import { fetchRemote } from "../../git/fetch.ts"
import { listRemotes, upstreamOf } from "../../git/remote.ts"
import type { Repository } from "../../git/repository.ts"
import { withRepoLock } from "../repo-lock.ts"

/** A remote that is this slow is as good as away; the work starts from what is here. */
const FETCH_TIMEOUT_MS = 60_000

/** Fetches that have not begun yet, by repository and remote: who asks now is served by them. */
const waiting = new Map<string, Promise<readonly string[]>>()

/** @returns notices: a fetch that fails costs freshness, not the job. */
export async function fetchFirst(
  repository: Repository,
  target: string,
): Promise<readonly string[]> {
  const remote = await findRemote(repository.root, target)
  if (remote === undefined) return []
  const key = `${repository.commonDir}\0${remote}`
  let fetch = waiting.get(key)
  if (!fetch) {
    fetch = withRepoLock(repository.commonDir, () => {
      waiting.delete(key)
      return fetchNow(repository.root, remote)
    }).finally(() => waiting.delete(key))
    waiting.set(key, fetch)
  }
  return await fetch
}

async function fetchNow(repo: string, remote: string): Promise<readonly string[]> {
  const fetched = await fetchRemote(repo, remote, { timeoutMs: FETCH_TIMEOUT_MS })
  if (fetched.kind === "fetched") return []
  const why = fetched.kind === "failed" ? fetched.message : "it did not answer in time"
  return [`The remote ${remote} could not be fetched, so the work starts from what is here: ${why}`]
}

/** The remote of the target's upstream, else `origin`. */
async function findRemote(repo: string, target: string): Promise<string | undefined> {
  const remotes = await listRemotes(repo)
  const upstream = await upstreamOf(repo, target)
  const isOf = (remote: string) => upstream?.startsWith(`refs/remotes/${remote}/`)
  return remotes.find(isOf) ?? remotes.find((remote) => remote === "origin")
}
