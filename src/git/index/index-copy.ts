/**
 * Works on a copy of an index, which is thrown away, or takes the index's place.
 *
 * In a worktree that was filled this second the copy is settled, so that git reads no file again
 * that cannot have changed (settled-index.ts).
 */
import { statSync } from "node:fs"
import { copyFile, utimes } from "node:fs/promises"
import { join } from "node:path"
import { makeScratch } from "../../process/scratch.ts"
import { gitDir } from "../repository/rev-parse.ts"
import type { Locked } from "./index-lock.ts"
import { copyIndex, onOwnIndex } from "./own-index.ts"
import { findFilledMs, putAhead, remindIndex, settleIndex } from "./settled-index.ts"

export type IndexCopy = {
  /** Absolute. */
  readonly indexFile: string
  /** Spares the next git its reading too; call it when one has written the copy. */
  settleAgain(): Promise<void>
  /** Makes it the worktree's own, unless that has changed since, or somebody is changing it. */
  install(): Promise<{ readonly kind: "installed" } | { readonly kind: "changed" } | Locked>
}

/** Runs `work`, in the worktree whose root `cwd` is, with a copy that is gone afterwards. */
export async function onIndexCopy<T>(
  cwd: string,
  work: (indexFile: string, copy: IndexCopy) => Promise<T>,
): Promise<T> {
  using scratch = makeScratch()
  const indexFile = join(scratch.path, "index")
  const dir = await gitDir(cwd)
  const index = join(dir, "index")
  const copied = look(index)
  await copyIndex(index, indexFile)
  const filledMs = findFilledMs(dir)
  const forgotten = filledMs === undefined ? undefined : await settleIndex(cwd, indexFile, filledMs)
  const install: IndexCopy["install"] = () =>
    onOwnIndex(cwd, async (own) => {
      if (!isSame(index, copied)) return { kind: "changed" }
      // A settled one keeps the time of the index: by it git reads again what is as old.
      const { mtimeMs } = (forgotten && copied) || statSync(indexFile)
      if (forgotten) await remindIndex(indexFile, forgotten)
      await copyFile(indexFile, own.indexFile)
      await utimes(own.indexFile, wholeSeconds(mtimeMs), wholeSeconds(mtimeMs))
      return { kind: "installed" }
    })
  const settleAgain = async () => {
    if (forgotten) await putAhead(indexFile)
  }
  return await work(indexFile, { indexFile, settleAgain, install })
}

type Seen = { readonly id: string; readonly mtimeMs: number }

/** Git changes an index by putting another file in its place. */
function look(index: string): Seen | undefined {
  const seen = statSync(index, { bigint: true, throwIfNoEntry: false })
  if (!seen) return undefined
  const { dev, ino, size, mtimeNs, ctimeNs } = seen
  return { id: [dev, ino, size, mtimeNs, ctimeNs].join(" "), mtimeMs: Number(seen.mtimeMs) }
}

const isSame = (index: string, copied: Seen | undefined) => look(index)?.id === copied?.id

const wholeSeconds = (ms: number) => Math.floor(ms / 1000)

/** The same where there is something to gain by it; else with the worktree's own index, undefined. */
export async function onSettledCopy<T>(
  cwd: string,
  work: (indexFile: string | undefined) => Promise<T>,
): Promise<T> {
  if (findFilledMs(await gitDir(cwd)) === undefined) return await work(undefined)
  return await onIndexCopy(cwd, work)
}
