/** `git push`: moves refs of a remote by compare-and-swap, all or none. */
import type { Oid, RefName } from "../../../base/ids.ts"
import { leadTo, type Remote, readRemoteRefs } from "../ask/remote-branch.ts"
import { GitError } from "../start/errors.ts"
import { git, type Network } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

export type Push = {
  readonly remote: Remote
  readonly moves: readonly RemoteMove[]
  /** The refs are branches, and the remote-tracking refs here follow them. */
  readonly isTracked?: true
}

export type RemoteMove = {
  readonly ref: RefName
  /** Where the ref must be; null: it must not exist. */
  readonly from: Oid | null
  /** Null: it goes. */
  readonly to: Oid | null
}

export type Pushed =
  | { readonly kind: "pushed" }
  /** One of the refs is elsewhere. */
  | { readonly kind: "moved" }
  /** The remote refuses it: `message` has its reason. */
  | { readonly kind: "refused"; readonly message: string }
  /** The push may have happened all the same. */
  | { readonly kind: "unreachable"; readonly message: string }

/** No tags, no submodules, nothing but these refs. */
const ARGS = [
  "--quiet",
  "--no-verify",
  "--no-follow-tags",
  "--recurse-submodules=no",
  "--no-signed",
]

/**
 * Never overwrites a commit that the caller does not know of. After a failure the remote itself says
 * where the refs are, so a push whose answer was lost counts as done.
 *
 * @throws the reason of the given signal when it aborts.
 */
export async function push(cwd: string, asked: Push, network: Network): Promise<Pushed> {
  const { remote, moves, isTracked } = asked
  const { options, name, settings } = await leadTo(cwd, remote, "push")
  const tracking = { [`remote.${name}.fetch`]: `+refs/heads/*:refs/remotes/${remote.name}/*` }
  const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`)
  const atomic = moves.length > 1 ? ["--atomic"] : []
  const specs = moves.map(({ ref, to }) => `${to ?? ""}:${ref}`)
  const args = ["push", ...ARGS, ...atomic, ...options, ...leases, "--", name, ...specs]
  const failure = await git(cwd, args, {
    network,
    settings: isTracked ? { ...settings, ...tracking } : settings,
  }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof GitTimeoutError || error instanceof GitError) return error
      throw error
    },
  )
  if (failure === undefined) return { kind: "pushed" }
  const now = await readRemoteRefs(cwd, { remote, refs: moves.map(({ ref }) => ref) }, network)
  if (now.kind === "unreachable") return now
  if (moves.every(({ to }, n) => (now.commits[n] ?? null) === to)) return { kind: "pushed" }
  if (moves.some(({ from }, n) => (now.commits[n] ?? null) !== from)) return { kind: "moved" }
  const { isRefused, message } = explain(failure)
  return { kind: isRefused ? "refused" : "unreachable", message }
}

/** Git's own line when the login may read, but not write. */
const FORBIDDEN = /^fatal: unable to access '.*': The requested URL returned error: 403$/

/** Git's own line for a ref, with the remote's reason at its end. */
const REFUSAL = /^! \[(?:remote )?rejected\](?:.*\((.+)\)$)?/
/** The reason for a ref that only shares an atomic push with the refused one. */
const OF_ANOTHER = /^atomic /

/**
 * The message has only the remote's own output, else its reasons: git's lines would also name our refs.
 * A push without a report of a refusal may still be under way at the remote.
 */
function explain(failure: GitError | GitTimeoutError) {
  if (!(failure instanceof GitError)) return { isRefused: false, message: failure.message }
  const lines = failure.result.stderr.split("\n").map((line) => line.trim())
  const said = lines
    .filter((line) => line.startsWith("remote: "))
    .map((line) => line.slice(8).trim())
  const refusals = lines.filter((line) => REFUSAL.test(line))
  const reasons = refusals.map((line) => REFUSAL.exec(line)?.[1] ?? line)
  const candidates = [said.filter(Boolean), reasons.filter((why) => !OF_ANOTHER.test(why)), reasons]
  const message =
    [...new Set(candidates.find((one) => one.length > 0))].join("; ") || failure.message
  const isForbidden = lines.some((line) => FORBIDDEN.test(line))
  return { isRefused: isForbidden || refusals.length > 0, message }
}
