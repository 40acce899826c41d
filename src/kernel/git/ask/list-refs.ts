/** Lists refs and where they are, and checks names for them. */

import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { git, stdoutText } from "../start/exec.ts"

/** The refs under a prefix that point at commits. Other programs may put other refs there. */
export async function listCommitRefs(
  cwd: string,
  prefix: string,
): Promise<{ readonly ref: RefName; readonly oid: Oid }[]> {
  const args = ["for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", prefix]
  const lines = stdoutText(await git(cwd, args)).split("\n")
  return lines.flatMap((line) => {
    const [, oid, ref] = /^commit (\S+) (.+)$/.exec(line) ?? []
    return oid && ref ? [{ oid: oid as Oid, ref: ref as RefName }] : []
  })
}

/** The refs under any of the prefixes, e.g. `refs/heads/` or `refs/coppice/7/`, sorted by name. */
export async function listRefs(
  cwd: string,
  ...prefixes: readonly string[]
): Promise<{ readonly ref: RefName; readonly oid: Oid }[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", ...prefixes]
  return parseRefs(stdoutText(await git(cwd, args)))
}

function parseRefs(text: string): { readonly ref: RefName; readonly oid: Oid }[] {
  const lines = text.split("\n").filter(Boolean)
  return lines.map((line) => {
    const end = line.indexOf(" ")
    return { oid: line.slice(0, end) as Oid, ref: line.slice(end + 1) as RefName }
  })
}

/** The branches with commits that `from` lacks, the latest first. */
export async function listUnmerged(
  cwd: string,
  { from, limit }: { readonly from: Oid; readonly limit: number },
): Promise<{ readonly ref: RefName; readonly oid: Oid }[]> {
  const order = ["--sort=-committerdate", `--count=${limit}`, `--no-merged=${from}`]
  const args = ["for-each-ref", ...order, "--format=%(objectname) %(refname)", "refs/heads/"]
  return parseRefs(stdoutText(await git(cwd, args)))
}

/** Refuses names that git would read as an option, a full ref or HEAD. */
export async function isBranchName(cwd: string, name: string): Promise<boolean> {
  if (/^-|^refs\/|^HEAD$|^@$/.test(name) || name.includes("\0")) return false
  const args = ["check-ref-format", branchRef(name)]
  return (await git(cwd, args, { answers: [0, 1] })).exitCode === 0
}

/** Refs of one worktree. Git drops them with it. */
const PREFIXES = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"]

/**
 * The commits that HEAD and the worktree's own refs name, each once. Its folder need not be there.
 * Names whose object is missing, or is no commit, do not count.
 *
 * @param repo its repository. @param gitDir its own git directory.
 */
export async function listOwnCommits(repo: string, gitDir: string): Promise<Oid[]> {
  const globs = PREFIXES.map((prefix) => `--glob=${prefix}`)
  const args = ["rev-list", "--no-walk=unsorted", "--ignore-missing", "HEAD", ...globs, "--"]
  const env = { GIT_DIR: gitDir }
  const { exitCode, stdout } = await git(repo, args, { env, answers: [0, 128] })
  // A tag whose object is missing ends `rev-list`, also with `--ignore-missing`.
  if (exitCode === 128) return await listOwnOneByOne(repo, env)
  return stdout.split("\n").filter(Boolean) as Oid[]
}

async function listOwnOneByOne(repo: string, env: { readonly GIT_DIR: string }): Promise<Oid[]> {
  const list = ["for-each-ref", "--format=%(refname)", ...PREFIXES]
  const refs = (await git(repo, list, { env })).stdout.split("\n").filter(Boolean)
  const stdin = ["HEAD", ...refs].map((ref) => `${ref}^{commit}\n`).join("")
  const ask = ["cat-file", "--batch-check=%(objecttype) %(objectname)"]
  const { stdout } = await git(repo, ask, { env, stdin: Buffer.from(stdin, "latin1") })
  const found = stdout.split("\n").flatMap((line) => /^commit (\S+)$/.exec(line)?.[1] ?? [])
  return [...new Set(found)] as Oid[]
}
