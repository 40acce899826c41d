/**
 * Checks whether one history has each change of another, perhaps under other ids.
 *
 * `git cherry` ignores white space, which matters in some languages. So we compare again, byte for
 * byte, the changes that it takes for the same.
 */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"

/** More commits than a task makes; comparing more takes long. */
const COMMITS_MAX = 500
/** Bound for the texts of both sides together. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024

export type Compared = {
  /** The history that may have the changes, perhaps under other ids. */
  readonly target: Oid
  readonly commit: Oid
}

/** Whether `target` has the change of every commit that only `commit` leads to. False in doubt. */
export async function hasEachChange(cwd: string, { target, commit }: Compared): Promise<boolean> {
  const own = await list(cwd, [`--max-count=${COMMITS_MAX + 1}`, `${target}..${commit}`])
  if (own.length > COMMITS_MAX) return false
  // A merge has no single change to compare, and `git cherry` skips it with its conflict
  // resolution.
  if ((await list(cwd, ["--merges", "--max-count=1", `${target}..${commit}`])).length > 0)
    return false
  const compared = ["rev-list", ...MARKED, `${commit}...${target}`]
  const { exitCode, stdout } = await git(cwd, compared, OR_IN_DOUBT)
  if (exitCode !== 0) return false
  const marked = stdout.split("\n")
  const same = new Set(marked.flatMap((line) => (line.startsWith("=") ? line.slice(1) : [])))
  if (!own.every((oid) => same.has(oid))) return false
  return own.length === 0 || (await areSame(cwd, own, same))
}

const MARKED = ["--no-merges", "--left-right", "--cherry-mark"]
/**
 * Git fails if it cannot read a file of a change: one that is missing, or that only a remote has.
 */
const OR_IN_DOUBT = { answers: [0, 128] }

async function list(cwd: string, args: readonly string[]): Promise<string[]> {
  return (await git(cwd, ["rev-list", ...args])).stdout.split("\n").filter(Boolean)
}

/** Whether the change of each of `own` is, to the byte, that of one of the others. */
async function areSame(
  cwd: string,
  own: readonly string[],
  all: ReadonlySet<string>,
): Promise<boolean> {
  const args = ["diff-tree", "--stdin", "--root", "-p", "--no-renames", "--full-index"]
  const plain = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
  ]
  const stdin = `${[...all].join("\n")}\n`
  const options = { ...OR_IN_DOUBT, stdin, cutAtBytes: TEXT_BYTES_MAX }
  const { exitCode, stdout, cut } = await git(cwd, [...args, ...plain], options)
  if (cut || exitCode !== 0) return false
  const changes = changesOf(stdout, all)
  const ofOthers = new Set([...changes].flatMap(([oid, text]) => (own.includes(oid) ? [] : text)))
  return own.every((oid) => ofOthers.has(changes.get(oid) ?? ""))
}

/** By commit. Drops line numbers and blob ids, which may differ. */
function changesOf(text: string, commits: ReadonlySet<string>): ReadonlyMap<string, string> {
  const changes = new Map<string, string>()
  let of = ""
  for (const line of text.split("\n").slice(0, -1)) {
    const told = line.startsWith("@@ ") ? "@@" : line // lines of files begin with a sign
    if (commits.has(line)) of = line
    else if (!line.startsWith("index ")) changes.set(of, `${changes.get(of) ?? ""}${told}\n`)
  }
  return changes
}
