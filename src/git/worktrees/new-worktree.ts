/**
 * A linked worktree without files yet, written as `git worktree add --no-checkout` writes it: git's
 * own folder for it, and the `.git` file in the worktree's. Git would start three processes.
 *
 * Git's folder is made beside, and put in its place by one rename: nobody ever sees half of one. It is
 * locked as git locks it meanwhile, so that no `git worktree prune` takes it for one that has gone.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import type { RefName } from "../../core/ids.ts"
import { areRefsFiles } from "../refs/head-file.ts"
import { isOn, type Setting } from "../repository/config.ts"

export type NewWorktree = {
  /** Absolute; nothing is there, or an empty folder. */
  readonly path: string
  /** A branch that was made this instant. */
  readonly ref: RefName
}

/** Matches what may be set of how worktrees are written, for `listConfig`. */
export const WORKTREE_KEYS = "core\\.sparsecheckout|extensions\\..*|worktree\\..*"
/** Of those, what says nothing of it. */
const PLAIN = /^extensions\.(objectformat|refstorage|preciousobjects|noop(-v1)?)$/
const OF_WORKTREES = /^(extensions|worktree)\./

/** Git would put other signs in the place of others, and a number behind where the name is taken. */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_+-]*$/
const DRAFT = "coppice.worktree"

/** @param config what {@link WORKTREE_KEYS} match, and perhaps more. */
export const areWorktreesPlain = (config: readonly Setting[]): boolean =>
  !isOn(config, "core.sparsecheckout") && // a new one would be sparse too
  config.every(({ key }) => !OF_WORKTREES.test(key) || PLAIN.test(key))

/**
 * Called under the repository's lock.
 *
 * @param commonDir real path, of a repository whose worktrees are plain.
 * @returns whether it was added. Where it was not there is at most an empty folder: git does it, or says why not.
 */
export function writeNewWorktree(commonDir: string, { path, ref }: NewWorktree): boolean {
  const id = basename(path)
  if (!PLAIN_NAME.test(id) || !areRefsFiles(commonDir)) return false
  const gitDir = join(commonDir, "worktrees", id)
  const link = join(path, ".git")
  const made: string[] = []
  try {
    mkdirSync(path, { recursive: true })
    if (readdirSync(path).length > 0 || realpathSync.native(path) !== path) return false
    if (existsSync(gitDir)) return false
    const draft = writeDraft(commonDir, { path, ref })
    made.push(draft)
    mkdirSync(join(commonDir, "worktrees"), { recursive: true })
    renameSync(draft, gitDir) // never empty: `git worktree prune` may remove what it has seen empty
    made.push(gitDir)
    writeFileSync(link, `gitdir: ${gitDir}\n`, { flag: "wx" })
    made.push(link)
    rmSync(join(gitDir, "locked"))
    return true
  } catch {
    for (const entry of made) rmSync(entry, { recursive: true, force: true })
    return false
  }
}

/** What a killed process left of another goes first. */
function writeDraft(commonDir: string, { path, ref }: NewWorktree): string {
  const draft = join(commonDir, DRAFT)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft)
  const files = {
    locked: "initializing",
    commondir: "../..\n",
    gitdir: `${join(path, ".git")}\n`,
    HEAD: `ref: ${ref}\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(draft, name), text)
  return draft
}
