/**
 * Keeps with a worktree which set-up has passed in it, in git's own folder of that worktree.
 *
 * So it goes where the worktree goes, from one task to the next. It says that none has before
 * one begins, and which when it has passed: one that was cut short in between does not serve.
 */
import { lstat, readdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gitDir } from "../git/rev-parse.ts"
import { assertOwnGitDir } from "../git/worktree-of.ts"
import type { SetupInputs } from "./setup-inputs.ts"

type SetupRecord = {
  readonly hash: string
  /** Where the worktree was: some tools write its path into what they install. */
  readonly worktree: string
  /** Names in the worktree's root that set-up made. */
  readonly made: readonly string[]
}

const FILE = "coppice-setup.json"
/** The hash of no set-up. */
const NONE = ""
/** In the root of a Python environment, whose programs name their place in full. */
const BOUND_TO_PLACE = "pyvenv.cfg"

/** Whether what an earlier set-up made in this worktree, here or elsewhere, still serves. */
export async function isSetUp(worktree: string, { hash }: SetupInputs): Promise<boolean> {
  const record = await readRecord(worktree)
  if (record?.hash !== hash) return false
  const hasMoved = record.worktree !== worktree
  for (const name of record.made) {
    if (!(await exists(join(worktree, name)))) return false
    if (hasMoved && (await exists(join(worktree, name, BOUND_TO_PLACE)))) return false
  }
  return true
}

/** @param run runs a set-up, and says whether it passed; only that is on record. @throws what it does. */
export async function recordingSetUp(
  worktree: string,
  { hash }: SetupInputs,
  run: () => Promise<boolean>,
): Promise<void> {
  await beginSetUp(worktree)
  const earlier = (await readRecord(worktree))?.made ?? []
  const before = new Set(await readdir(worktree))
  const record = async (passed: string) => {
    const after = await readdir(worktree)
    const made = after.filter((name) => !before.has(name) || earlier.includes(name))
    await writeRecord(worktree, { hash: passed, worktree, made })
  }
  let hasPassed = false
  try {
    hasPassed = await run()
  } finally {
    await record(hasPassed ? hash : NONE)
  }
}

/** Says that one was begun, and that none has passed: the next set-up runs. */
export async function beginSetUp(worktree: string): Promise<void> {
  const made = (await readRecord(worktree))?.made ?? []
  await writeRecord(worktree, { hash: NONE, worktree, made })
}

/** Whether a set-up was begun here, whatever came of it. */
export async function hasBegunSetUp(worktree: string): Promise<boolean> {
  return (await readRecord(worktree)) !== undefined
}

async function writeRecord(worktree: string, record: SetupRecord): Promise<void> {
  assertOwnGitDir(worktree)
  const file = join(await gitDir(worktree), FILE)
  await writeFile(`${file}.new`, JSON.stringify(record))
  await rename(`${file}.new`, file)
}

/** @returns undefined also for what is not a record of ours: then set-up runs again. */
async function readRecord(worktree: string): Promise<SetupRecord | undefined> {
  try {
    const text = await readFile(join(await gitDir(worktree), FILE), "utf8")
    const { hash, worktree: place, made } = JSON.parse(text) as Partial<SetupRecord>
    if (typeof hash !== "string" || typeof place !== "string" || !Array.isArray(made))
      return undefined
    return { hash, worktree: place, made: made.filter((name) => typeof name === "string") }
  } catch {
    return undefined
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
