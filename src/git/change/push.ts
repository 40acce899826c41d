/** `git push`: moves one branch of a remote by compare-and-swap. */
import { branchRef, type Oid } from "../../core/ids.ts"
import { leadTo, type Remote, readRemoteBranch } from "../ask/remote-branch.ts"
import { GitError } from "../start/errors.ts"
import { git, type Network } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

export type Push = {
  readonly remote: Remote
  readonly branch: string
  /** Where the branch must be; null: it must not exist. */
  readonly from: Oid | null
  readonly to: Oid
}

export type Pushed =
  | { readonly kind: "pushed" }
  /** The branch is elsewhere; `actual` undefined: it does not exist. */
  | { readonly kind: "moved"; readonly actual: Oid | undefined }
  /** The remote refuses it, in the words of `message`. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "unreachable"; readonly message: string }

/** No tags, no submodules, nothing but this branch. */
const ARGS = [
  "--quiet",
  "--no-verify",
  "--no-follow-tags",
  "--recurse-submodules=no",
  "--no-signed",
]

/**
 * Never overwrites a commit that the caller does not know of. After a failure the remote itself says
 * where the branch is, so a push whose answer was lost counts as done.
 *
 * @throws the reason of the given signal when it aborts.
 */
export async function push(cwd: string, asked: Push, network: Network): Promise<Pushed> {
  const { remote, branch, from, to } = asked
  const { options, name, settings } = await leadTo(cwd, remote, "push")
  const ref = branchRef(branch)
  const lease = `--force-with-lease=${ref}:${from ?? ""}`
  const args = ["push", ...ARGS, ...options, lease, "--", name, `${to}:${ref}`]
  const failure = await git(cwd, args, { network, settings }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof GitTimeoutError || error instanceof GitError) return error
      throw error
    },
  )
  if (failure === undefined) return { kind: "pushed" }
  const now = await readRemoteBranch(cwd, asked, network)
  if (now.kind === "unreachable") return now
  if (now.commit === to) return { kind: "pushed" }
  if ((now.commit ?? null) !== from) return { kind: "moved", actual: now.commit }
  return { kind: "refused", message: wordsOf(failure) }
}

/** The remote's own words, where it has said any. */
function wordsOf(failure: GitError | GitTimeoutError): string {
  if (!(failure instanceof GitError)) return failure.message
  const lines = failure.result.stderr.split("\n").map((line) => line.trim())
  const said = lines
    .filter((line) => line.startsWith("remote: "))
    .map((line) => line.slice(8).trim())
  const refusal = lines.filter((line) => line.startsWith("! [")).map((line) => line.slice(2))
  const words = [...said, ...refusal].filter(Boolean)
  return words.length > 0 ? words.join("; ") : failure.message
}
