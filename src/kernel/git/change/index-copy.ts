/** Works on a copy of an index. The copy is then discarded, or replaces the index. */
import { statSync } from "node:fs"
import { copyFile, utimes } from "node:fs/promises"
import { join } from "node:path"
import { makeScratch } from "../../process/scratch-folder.ts"
import { copyIndex } from "../ask/index-file.ts"
import { gitDir } from "../ask/rev-parse.ts"
import type { Locked } from "./index-lock.ts"
import { onOwnIndex } from "./own-index.ts"

/** Replaces the index with the copy, unless the index has changed since or its lock is held. */
export type InstallCopy = () => Promise<
  { readonly kind: "installed" } | { readonly kind: "changed" } | Locked
>

/** Runs `work` with a copy of the index of the worktree at `cwd`. Removes the copy afterwards. */
export async function onIndexCopy<T>(
  cwd: string,
  work: (indexFile: string, install: InstallCopy) => Promise<T>,
): Promise<T> {
  using scratch = makeScratch()
  const indexFile = join(scratch.path, "index")
  const index = join(await gitDir(cwd), "index")
  const copied = identify(index)
  await copyIndex(index, indexFile)
  const install: InstallCopy = () =>
    onOwnIndex(cwd, async (own) => {
      if (identify(index) !== copied) return { kind: "changed" }
      const seconds = Math.floor(statSync(indexFile).mtimeMs / 1000)
      await copyFile(indexFile, own.indexFile)
      await utimes(own.indexFile, seconds, seconds)
      return { kind: "installed" }
    })
  return await work(indexFile, install)
}

/** Git changes an index by putting another file in its place. */
function identify(index: string): string | undefined {
  const found = statSync(index, { bigint: true, throwIfNoEntry: false })
  if (!found) return undefined
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ")
}
