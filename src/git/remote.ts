/** What is known here of remotes; nothing of this uses the network. */
import { branchRef, type RefName } from "../core/ids.ts"
import { git, stdoutText } from "./exec.ts"

/** The names of the remotes. */
export async function listRemotes(cwd: string): Promise<string[]> {
  return stdoutText(await git(cwd, ["remote"]))
    .split("\n")
    .filter(Boolean)
}

/** The remote branch that origin/HEAD stands for, e.g. `refs/remotes/origin/main`. */
export async function originHead(cwd: string): Promise<RefName | undefined> {
  const args = ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]
  const result = await git(cwd, args, { answers: [0, 1] })
  return result.exitCode === 0 ? (stdoutText(result).trim() as RefName) : undefined
}

/** The ref that a local branch tracks, as configured; it need not exist. */
export async function upstreamOf(cwd: string, branch: string): Promise<RefName | undefined> {
  const args = ["for-each-ref", "--format=%(upstream)", branchRef(branch)]
  return (stdoutText(await git(cwd, args)).trim() || undefined) as RefName | undefined
}
