/**
 * Distinguishes files left by set-up and check from work.
 *
 * Before they run, all differences from the commit are work, and are recorded. Afterwards:
 *
 * - an untracked file that is not in that record is noted as made: as long as it stays unchanged,
 *   no snapshot and no rescue takes it
 * - a tracked file that is not in that record is saved and restored to its commit: set-up changed
 *   it, or a person edited it while set-up ran
 * - a folder that belongs to a tool alone gets a `.gitignore`, so that git ignores what the tool
 *   later adds to it; recent versions of `venv` write the same file
 *
 * Later edits are the agent's, whatever set-up did to the same file. The record stays until set-up
 * has ended: a killed one and its repetition count as one set-up.
 */
import { existsSync, lstatSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listOthers, listUntracked } from "../../git/ask/ls-others.ts"
import { listMade, listUnchangedMade } from "../../git/ask/made-files.ts"
import { gitDir, readCommit } from "../../git/ask/rev-parse.ts"
import { readStatus, type Status } from "../../git/ask/status.ts"
import { assertOwnGitDir } from "../../git/ask/worktree-of.ts"
import { checkoutIndex } from "../../git/change/checkout-index.ts"
import { noteMade } from "../../git/change/note-made.ts"
import { revealPresent } from "../../git/change/reveal-files.ts"
import { unstage } from "../../git/change/update-index.ts"
import { gitPath, joinBytes } from "../../git/start/git-path.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"
import { isPlaced } from "../placed-files.ts"
import { type Rescue, rescueFiles } from "../rescue/rescue.ts"
import { LEFT_BY_SETUP } from "../rules/ecosystems/ecosystems.ts"
import type { Owner } from "../task-refs.ts"
import { listMadeBySetUp } from "./setup-record.ts"

export type Leaves = {
  /** Untracked files that are not work. */
  readonly made: readonly GitPath[]
  /** Tracked files that were restored to their commit. */
  readonly putBack: readonly GitPath[]
  /** Of files that a person may have written while set-up ran, or after it was killed. */
  readonly rescued: readonly Rescue[]
}

export type Leaving = {
  readonly worktree: string
  readonly owner: Owner
  readonly placed: readonly string[]
}

/**
 * How many files of `copy` and `link` have their content noted: secrets and settings, not folders
 * of packages.
 */
const PLACED_NOTED_MAX = 1_000
/** New files that are saved before a killed set-up is repeated, and the largest of them: a person's are few. */
const BETWEEN_MAX = 100
const BETWEEN_BYTES_MAX = 1024 * 1024
const FILE = "coppice-before-setup.json"
const IN_PYTHON_ENVIRONMENT = "pyvenv.cfg"

/** Differences from the commit that are work. */
type Before = { readonly tracked: readonly GitPath[]; readonly untracked: readonly GitPath[] }

/**
 * Runs set-up or check, or both. @throws {Error} any error of `run`, after cleaning up the
 * worktree.
 */
export async function whileLeaving<T>(
  leaving: Leaving,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly leaves: Leaves }> {
  const { before, rescued } = await begin(leaving)
  let hasEnded = false
  try {
    const result = await run()
    hasEnded = true
    const left = await end(leaving, before)
    return { result, leaves: { ...left, rescued: [...rescued, ...left.rescued] } }
  } finally {
    if (!hasEnded) await end(leaving, before).catch(() => undefined) // the error of `run` is thrown
  }
}

/** Files of an earlier set-up that are unchanged. */
export async function readMade(worktree: string, placed: readonly string[]): Promise<Leaves> {
  const made = [...(await listUnchangedMade(worktree))].filter((path) => !isPlaced(path, placed))
  return { made, putBack: [], rescued: [] }
}

/** Notes the content of `copy` and `link` files, so that they are recognised in a commit. */
export async function notePlaced(worktree: string, placed: readonly string[]): Promise<void> {
  if (placed.length === 0) return
  const [made, files] = await Promise.all([
    listMade(worktree),
    listOthers(worktree, placed.map(gitPath)),
  ])
  const wanted = files.filter((path) => !path.endsWith("/") && !made.has(path))
  await noteMade(worktree, wanted.slice(0, PLACED_NOTED_MAX))
}

async function begin({ worktree, owner, placed }: Leaving) {
  await revealPresent(worktree)
  const earlier = await readBefore(worktree)
  const status = await readStatus(worktree)
  const now: Before = { tracked: trackedOf(status), untracked: status.untracked }
  if (!earlier) {
    assertOwnGitDir(worktree)
    writeWhole(join(await gitDir(worktree), FILE), JSON.stringify(now))
    return { before: now, rescued: [] }
  }
  const created = without(status.untracked, earlier.untracked).filter((path) => !path.endsWith("/"))
  const later = [
    ...without(status.unstaged, earlier.tracked),
    ...youngest(
      worktree,
      created.filter((path) => !isPlaced(path, placed)),
    ),
  ]
  const reason = "set-up was repeated"
  const rescued = later.length > 0 ? [await rescueFiles(worktree, later, { owner, reason })] : []
  return { before: earlier, rescued }
}

/** The files that changed last: a person edits after the killed set-up, so theirs are younger. */
function youngest(worktree: string, paths: readonly GitPath[]): GitPath[] {
  const files = paths.flatMap((path) => {
    const found = lstatSync(joinBytes(worktree, path), { throwIfNoEntry: false })
    return found && found.size <= BETWEEN_BYTES_MAX ? [{ path, atMs: found.ctimeMs }] : []
  })
  const sorted = files.sort((a, b) => b.atMs - a.atMs).map(({ path }) => path)
  return sorted.slice(0, BETWEEN_MAX)
}

async function end({ worktree, owner, placed }: Leaving, before: Before): Promise<Leaves> {
  await revealPresent(worktree)
  await ignoreFoldersOfTools(worktree, before)
  const status = await readStatus(worktree)
  const isNoPlaced = (path: GitPath) => !isPlaced(path, placed) && !path.endsWith("/")
  const putBack = without(trackedOf(status), before.tracked)
  const head: Oid | undefined = await readCommit(worktree, "HEAD")
  const staged = without(status.staged, before.tracked)
  if (head) await unstage(worktree, head, staged)
  const after = staged.length > 0 ? await readStatus(worktree) : status
  const changed = without(after.unstaged, before.tracked)
  const reason = "files changed during set-up were put back"
  const isTasks = owner.task !== "pool" // a person edits only where a task works
  const rescued =
    isTasks && changed.length > 0 ? [await rescueFiles(worktree, changed, { owner, reason })] : []
  await checkoutIndex(worktree, changed)
  const made = without(after.untracked, before.untracked).filter(isNoPlaced)
  await noteMade(worktree, made)
  rmSync(join(await gitDir(worktree), FILE), { force: true })
  const isMade = new Set(made)
  return { made, putBack: putBack.filter((path) => !isMade.has(path)), rescued }
}

async function ignoreFoldersOfTools(worktree: string, before: Before): Promise<void> {
  const { untracked } = await readStatus(worktree)
  const seen = new Set(untracked.map((path) => path.slice(0, path.indexOf("/") + 1)))
  for (const folder of await listUntracked(worktree)) {
    const isWork = before.untracked.some((path) => path.startsWith(folder))
    if (!seen.has(folder) || isWork || !isOfTool(worktree, folder)) continue
    const file = joinBytes(worktree, `${folder}.gitignore` as GitPath).toString()
    if (!existsSync(file)) writeWhole(file, "*\n")
  }
}

/** Folders that set-up made for a tool alone: `node_modules/`, a Python environment. */
export async function listToolFolders(worktree: string): Promise<GitPath[]> {
  const made = await listMadeBySetUp(worktree)
  return made.filter((path) => path.endsWith("/") && isOfTool(worktree, path))
}

/** @param folder an untracked one; its path ends in `/`. */
const isOfTool = (worktree: string, folder: GitPath): boolean =>
  LEFT_BY_SETUP.has(folder.slice(0, -1)) ||
  (/^[\w.-]+\/$/.test(folder) &&
    existsSync(joinBytes(worktree, `${folder}${IN_PYTHON_ENVIRONMENT}` as GitPath)))

const trackedOf = ({ staged, unstaged, unmerged }: Status): readonly GitPath[] => [
  ...new Set([...staged, ...unstaged, ...unmerged]),
]

function without(paths: readonly GitPath[], others: readonly GitPath[]): GitPath[] {
  const left = new Set(others)
  return paths.filter((path) => !left.has(path))
}

/** @returns undefined also if it is not a record of ours. */
async function readBefore(worktree: string): Promise<Before | undefined> {
  try {
    const text = findPlain(join(await gitDir(worktree), FILE))?.toString() ?? ""
    const { tracked, untracked } = JSON.parse(text) as Partial<Before>
    return Array.isArray(tracked) && Array.isArray(untracked) ? { tracked, untracked } : undefined
  } catch {
    return undefined
  }
}
