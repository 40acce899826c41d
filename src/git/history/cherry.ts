/**
 * Whether a history has each change of another one, if under other ids.
 *
 * `git cherry` and its kin compare changes without their white space, which in some languages is what
 * a change is about. So what they take for the same is compared again, as it is.
 */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

/** More commits than a task makes; comparing more takes long. */
const COMMITS_MAX = 500
/** Of changes to be compared as they are, on both sides together. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024

export type Compared = {
  /** Has the changes, perhaps under other ids. */
  readonly target: Oid
  readonly commit: Oid
  /** Where `target` has them, they came after this. Default: anywhere. */
  readonly since?: Oid
}

/** Whether `target` has the change of every commit that only `commit` leads to. False in doubt. */
export async function hasEachChange(
  cwd: string,
  { target, commit, since }: Compared,
): Promise<boolean> {
  const own = await list(cwd, [`--max-count=${COMMITS_MAX + 1}`, `${target}..${commit}`])
  if (own.length > COMMITS_MAX) return false
  // A merge has no one change of its own, so it is passed over, with whatever was resolved in it.
  if ((await list(cwd, ["--merges", "--max-count=1", `${target}..${commit}`])).length > 0)
    return false
  const compared = ["rev-list", ...MARKED, `${commit}...${target}`, ...(since ? [`^${since}`] : [])]
  const { exitCode, stdout } = await git(cwd, compared, OR_IN_DOUBT)
  if (exitCode !== 0) return false
  const marked = stdout.split("\n")
  const same = new Set(marked.flatMap((line) => (line.startsWith("=") ? line.slice(1) : [])))
  if (!own.every((oid) => same.has(oid))) return false
  return own.length === 0 || (await areSame(cwd, own, same))
}

const MARKED = ["--no-merges", "--left-right", "--cherry-mark"]
/** Git dies where it cannot read a file of a change: one that is gone, or that is nowhere but in a remote. */
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

/** By commit. Where in a file a change is made, and in which version of it, may differ. */
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
