/** `git clone`: copies a remote repository. */
import { GitError } from "../start/errors.ts"
import { git, type Network } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

export type CloneOptions = {
  readonly url: string
  /** The new folder; nothing exists there yet. */
  readonly path: string
  /** Branch name to check out; undefined for the remote's own HEAD. */
  readonly branch: string | undefined
  /** Commits of history; undefined: all of it. */
  readonly depth: number | undefined
  readonly network: Network
}

export type Cloned =
  | { readonly kind: "cloned" }
  /** Git's message, without passwords. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timed_out" }

/** No template hooks. `--no-local` makes a depth apply to local repositories too. */
const ARGS = ["clone", "--quiet", "--origin=origin", "--template=", "--no-local"]

/** @param cwd a folder outside `path`. */
export async function cloneRepository(cwd: string, options: CloneOptions): Promise<Cloned> {
  const { url, path, branch, depth, network } = options
  const args = [
    ...ARGS,
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    ...["--", url, path],
  ]
  try {
    await git(cwd, args, { network })
    return { kind: "cloned" }
  } catch (error) {
    if (error instanceof GitTimeoutError) return { kind: "timed_out" }
    if (!(error instanceof GitError) || error.transient) throw error
    return { kind: "failed", message: withoutPasswords(error.result.stderr.trim(), url) }
  }
}

/** Removes the parts of URLs in `text` that may be secret. */
export function withoutPasswords(text: string, url: string): string {
  return text
    .replaceAll(url, plainUrl(url))
    .replace(/(\w:\/\/)[^/\s'"]*@/g, "$1")
    .replace(/\?[^\s'"]*/g, "")
}

function plainUrl(url: string): string {
  return url.replace(/^(\w[\w+.-]*:\/\/)[^/]*@/, "$1").replace(/\?.*$/, "")
}
