/**
 * Records in git's own folder of a worktree which set-up has passed there.
 *
 * So the record moves with the worktree. It is cleared before a set-up begins and written when it
 * has passed, so that an interrupted one does not count.
 */
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listUntracked } from "../../git/ask/ls-others.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { gitDir, readCommit } from "../../git/ask/rev-parse.ts"
import { assertOwnGitDir } from "../../git/ask/worktree-of.ts"
import { joinBytes } from "../../git/start/git-path.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"
import type { SetupInputs } from "./setup-inputs.ts"

type SetupRecord = {
  readonly hash: string
  /** The same after the set-up, which may have changed its own inputs: a lockfile, say. */
  readonly after: string
  /** The worktree's path then: some tools write it into what they install. */
  readonly worktree: string
  /** The worktree's commit then. */
  readonly at?: Oid
  /** Files and folders that set-up made, and git does not track. */
  readonly made: readonly GitPath[]
}

const FILE = "coppice-setup.json"
/** The hash of no set-up. */
const NONE = ""
/** In the folder of a Python environment, whose programs contain their absolute path. */
const BOUND_TO_PLACE = "pyvenv.cfg"

/** Whether an earlier set-up of this worktree, here or at another path, is still valid. */
export async function isSetUp(
  worktree: string,
  { hash }: Pick<SetupInputs, "hash">,
): Promise<boolean> {
  const record = await readRecord(worktree)
  if (record?.hash !== hash && record?.after !== hash) return false
  const hasMoved = record.worktree !== worktree
  for (const name of record.made) {
    if (!(await exists(joinBytes(worktree, name)))) return false
    const inside = joinBytes(worktree, `${name}${BOUND_TO_PLACE}` as GitPath)
    if (hasMoved && name.endsWith("/") && (await exists(inside))) return false
  }
  return true
}

/**
 * @param run runs a set-up, and returns whether it passed; only then is it recorded.
 * @param readAgain reads the inputs after the run: changes by the set-up itself are no reason to
 *   run it again.
 * @throws {Error} any error of `run`.
 */
export async function recordingSetUp(
  worktree: string,
  inputs: Pick<SetupInputs, "hash">,
  run: () => Promise<boolean>,
  readAgain: () => Promise<Pick<SetupInputs, "hash">> = async () => inputs,
): Promise<void> {
  await beginSetUp(worktree)
  const earlier = (await readRecord(worktree))?.made ?? []
  const before = new Set(await listUntracked(worktree))
  const record = async (passed: string, after: string) => {
    const found = await listUntracked(worktree)
    const made = found.filter((name) => !before.has(name) || earlier.includes(name))
    const at = await readCommit(worktree, "HEAD")
    await writeRecord(worktree, { hash: passed, after, worktree, made, ...(at && { at }) })
  }
  let hasPassed = false
  try {
    hasPassed = await run()
  } finally {
    if (hasPassed) await record(inputs.hash, (await readAgain()).hash)
    else await record(NONE, NONE)
  }
}

/** Records that a set-up has begun and none has passed, so that the next one runs. */
export async function beginSetUp(worktree: string): Promise<void> {
  const made = (await readRecord(worktree))?.made ?? []
  await writeRecord(worktree, { hash: NONE, after: NONE, worktree, made })
}

/** Whether a set-up has begun since the task got this worktree, whatever its result. */
export async function hasBegunSetUp(worktree: string): Promise<boolean> {
  return (await readRecord(worktree)) !== undefined
}

/** Whether the last set-up here passed before the worktree had `commit`. */
export async function isSetUpBefore(worktree: string, commit: Oid): Promise<boolean> {
  const record = await readRecord(worktree)
  if (!record || record.hash === NONE) return false
  const at = record.at && (await readCommit(worktree, record.at))
  return !at || !(await isAncestor(worktree, commit, at))
}

/** Files and folders, which end in `/`, that set-ups made here and git did not track then. */
export async function listMadeBySetUp(worktree: string): Promise<readonly GitPath[]> {
  return (await readRecord(worktree))?.made ?? []
}

async function writeRecord(worktree: string, record: SetupRecord): Promise<void> {
  assertOwnGitDir(worktree)
  const file = join(await gitDir(worktree), FILE)
  writeWhole(file, JSON.stringify(record))
}

/** @returns undefined also if it is not a record of ours: then set-up runs again. */
async function readRecord(worktree: string): Promise<SetupRecord | undefined> {
  try {
    const text = findPlain(join(await gitDir(worktree), FILE))?.toString() ?? ""
    const record = JSON.parse(text) as Partial<SetupRecord>
    const { hash, after = hash, worktree: place, at, made } = record
    if (typeof hash !== "string" || typeof after !== "string") return undefined
    if (typeof place !== "string" || !isTexts(made)) return undefined
    const commit = typeof at === "string" ? { at } : {}
    return { hash, after, worktree: place, ...commit, made: made as GitPath[] }
  } catch {
    return undefined
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const exists = (path: Buffer): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
