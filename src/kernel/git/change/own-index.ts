/**
 * Changes an index through a copy, under a lock that names its owners.
 *
 * Git's own `index.lock` does not say which process holds it. This one lists the processes that work
 * under it; kernel/workspaces/locks/dead-locks.ts removes it when all of them have ended. The index itself
 * changes by one rename, so it is always whole.
 */
import {
  appendFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { type Identified, readIdentity } from "../../process/process-identity.ts"
import { copyIndex } from "../ask/index-file.ts"
import { gitDir } from "../ask/rev-parse.ts"
import type { Locked } from "./index-lock.ts"

export type OwnIndex = {
  /** The index to work on instead of the worktree's own; absolute. */
  readonly indexFile: string
  /** Call it with the pid of each git that works on the copy. */
  readonly onPid: (pid: number) => void
  /** Makes the copy the index now. The lock stays until the work is done. */
  readonly put: () => void
}

/**
 * Keeps other processes from writing the index until disposed. Disposing twice does nothing more.
 */
export type HeldIndex = Disposable & {
  readonly kind: "held"
  /** Runs `work` on a copy of the index, which becomes the index unless `work` throws. */
  on<T>(work: (own: OwnIndex) => Promise<T>): Promise<T>
}

/** Whether the caller holds the index in git's own folder of a worktree. */
export type OwnLocks = { has(dir: string): boolean }

/** @param dir git's own folder of the worktree. */
export function holdIndex(dir: string): HeldIndex | Locked {
  const index = join(dir, "index")
  const lock = `${index}.lock`
  if (!take(lock)) return { kind: "locked", lock }
  let isOurs = true
  return {
    kind: "held",
    on: (work) => onCopy(index, work),
    [Symbol.dispose]() {
      if (isOurs) rmSync(lock, { force: true })
      isOurs = false
    },
  }
}

/** Holds the index while `work` runs: see {@link HeldIndex}. */
export async function onOwnIndex<T>(
  cwd: string,
  work: (own: OwnIndex) => Promise<T>,
): Promise<T | Locked> {
  const taken = holdIndex(await gitDir(cwd))
  if (taken.kind === "locked") return taken
  using held = taken
  return await held.on(work)
}

async function onCopy<T>(index: string, work: (own: OwnIndex) => Promise<T>): Promise<T> {
  // The git of a killed process may still work on its copy, so ours has another name.
  const [lock, copy] = [`${index}.lock`, `${index}.coppice-${process.pid}`]
  const put = () => {
    if (existsSync(copy)) renameSync(copy, index)
  }
  try {
    removeCopies(index)
    await copyIndex(index, copy)
    const result = await work({ indexFile: copy, onPid: (pid) => appendOwner(lock, pid), put })
    put()
    return result
  } finally {
    rmSync(copy, { force: true })
  }
}

/** Removes copies of killed processes. A git that still works on one finds it gone, and fails. */
function removeCopies(index: string): void {
  const folder = dirname(index)
  const left = readdirSync(folder).filter((name) => name.startsWith("index.coppice"))
  for (const name of left) rmSync(join(folder, name), { force: true })
}

/** @param held locks of ours, which do not count. @returns the index's lock, if there is one. */
export async function findIndexLock(cwd: string, held?: OwnLocks): Promise<string | undefined> {
  const dir = await gitDir(cwd)
  const lock = join(dir, "index.lock")
  return existsSync(lock) && !held?.has(dir) ? lock : undefined
}

function take(lock: string): boolean {
  const mine = `${lock}.${process.pid}`
  try {
    rmSync(mine, { force: true }) // the file may be anything, such as a link
    writeFileSync(mine, owner(process.pid), { flag: "wx" })
    linkSync(mine, lock) // so that the lock is never seen without its owner
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  } finally {
    rmSync(mine, { force: true })
  }
}

/** The processes that a lock of ours names. Undefined for any other lock, or without a lock. */
export function readOwners(lock: string): readonly Identified[] | undefined {
  try {
    return readPlainText(lock)?.trimEnd().split("\n").map(parseOwner)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined // git's own
    if (error instanceof UnreadableFileError) return undefined
    throw error
  }
}

const owner = (pid: number): string =>
  `${JSON.stringify({ coppice: { pid, identity: readIdentity(pid) ?? "gone" } })}\n`

const appendOwner = (lock: string, pid: number) => appendFileSync(lock, owner(pid))

/** @throws {SyntaxError} @throws {TypeError} for text that is not ours. */
function parseOwner(line: string): Identified {
  const { pid, identity } = JSON.parse(line).coppice
  if (typeof pid !== "number" || typeof identity !== "string") throw new SyntaxError(line)
  return { pid, identity }
}
