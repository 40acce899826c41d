/**
 * Checks out the whole tree in a worktree that was just added. Takes long in a large repository.
 *
 * If we are killed in between, git goes on without us, and could later write the index of a new
 * worktree in the same place. So its process is recorded while it runs. The record stays until the
 * worktree is full; files in it before that are not work.
 */
import { existsSync, rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Oid } from "../../../base/ids.ts"
import { ObjectsMissingError } from "../../git/ask/errors.ts"
import { countMissing } from "../../git/ask/object-sizes.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import type { CheckoutConfig } from "../../git/ask/true-modes.ts"
import { resetTree } from "../../git/change/read-tree.ts"
import { settleIndex } from "../../git/change/settle-index.ts"
import { GitError, IndexLockedError } from "../../git/start/errors.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"
import { readIdentity } from "../../process/process-identity.ts"
import { CpuSlots } from "../locks/slots.ts"
import { markMade } from "../made-here.ts"

type Filler = { readonly pid: number; readonly identity?: string | undefined }

/** Running more at once gains nothing: each then takes longer. A filter may wait for a network. */
const fills = new CpuSlots(2 * availableParallelism())

const FILE = "coppice-checkout.json"
const POLL_MS = 10
/** A killed process ends at once, unless it waits for a disk. */
const END_MS_MAX = 10_000

/** Marks a worktree that was just added as made by us, and as not full yet. */
export function markUnfilled(dir: string): void {
  markMade(dir)
  writeWhole(join(dir, FILE), JSON.stringify({ pid: 0 } satisfies Filler))
}

/** Whether the worktree of this git directory was never completely filled. */
export function isUnfilled(dir: string): boolean {
  return existsSync(join(dir, FILE)) && !existsSync(join(dir, "index"))
}

export type Filling = {
  /** The configuration for this worktree's checkout. */
  readonly checkout: CheckoutConfig
  /** Ends the wait for others. */
  readonly signal?: AbortSignal
}

/**
 * @param head the commit that HEAD points at. @throws {Error} the reason of `signal`, before
 *   anything is filled.
 */
export function fillWorktree(path: string, head: Oid, filling: Filling): Promise<void> {
  return fills.run(() => fillNow(path, head, filling), filling.signal)
}

async function fillNow(path: string, head: Oid, { checkout }: Filling): Promise<void> {
  const dir = await gitDir(path)
  const record = (pid: number) => {
    const filler: Filler = { pid, identity: readIdentity(pid) }
    writeWhole(join(dir, FILE), JSON.stringify(filler))
  }
  const filled = resetTree(path, head, { onPid: record, config: checkout })
  const { kind } = await filled.catch((error) => explain(path, head, error))
  if (kind === "locked") throw new IndexLockedError(join(dir, "index.lock"))
  await settleIndex(path)
  rmSync(join(dir, FILE), { force: true })
}

/** @throws {ObjectsMissingError} where that is the cause; else the error itself. */
async function explain(path: string, head: Oid, error: unknown): Promise<never> {
  const isGits = error instanceof GitError && !error.transient
  const missing = isGits ? await countMissing(path, head) : 0
  throw missing > 0 ? new ObjectsMissingError(path, missing) : error
}

/**
 * Ends a git that still fills the worktree of this git directory for a killed process of ours.
 *
 * @throws {IndexLockedError} when it cannot be ended.
 */
export async function endFilling(dir: string): Promise<void> {
  const filler = readFiller(join(dir, FILE))
  if (filler?.identity === undefined) return
  const isRunning = () => readIdentity(filler.pid) === filler.identity
  if (isRunning()) process.kill(filler.pid, "SIGKILL")
  for (let waitedMs = 0; isRunning(); waitedMs += POLL_MS) {
    if (waitedMs > END_MS_MAX) throw new IndexLockedError(join(dir, "index.lock"))
    await delay(POLL_MS)
  }
}

function readFiller(path: string): Filler | undefined {
  const text = findPlain(path)?.toString()
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined // not a record of ours: there is no process to end
    throw error
  }
}
