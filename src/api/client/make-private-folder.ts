/** Makes folders and files for their owner alone. Every command loads this first, so it imports only these. */
import { dirname, join } from "node:path"
import { faultAbove, folderFault } from "../../base/private-folder.ts"
import { fs } from "./node-builtins.ts"

/**
 * Makes `dir`, and missing folders above it, with mode 0700.
 *
 * @returns the fault of an existing folder, continuing "the folder …".
 * @throws the system's error if it cannot be made.
 */
export function makePrivateFolder(dir: string): string | undefined {
  // Not by Node's `recursive`, which never returns in a folder that takes no folders, such as /proc.
  const missing: string[] = []
  for (let at = dir; !fs.existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const path of missing) {
    try {
      fs.mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error // another process was quicker
    }
  }
  return folderFault(fs.statSync(dir), process.geteuid?.())
}

/**
 * The folder for what Coppice can make again, such as compiled code: `coppice` in XDG_CACHE_HOME
 * (which must be absolute), else in ~/.cache.
 */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CACHE_HOME: chosen = "", HOME: home } = env
  if (chosen.startsWith("/")) return join(chosen, "coppice")
  return join(home || process.getBuiltinModule("node:os").homedir(), ".cache/coppice")
}

/** The fault of the first folder above `dir` in which another user could replace it. */
export function findFaultAbove(dir: string): string | undefined {
  const user = { uid: process.geteuid?.(), gid: process.getegid?.() }
  for (let at = fs.realpathSync(dir); at !== dirname(at); ) {
    at = dirname(at)
    const fault = faultAbove(fs.statSync(at), user)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Makes {@link cacheFolder}.
 *
 * @throws the system's error if there can be none, or others can write or replace it.
 */
export function makeCacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const folder = cacheFolder(env)
  const fault = makePrivateFolder(folder) ?? findFaultAbove(folder)
  if (fault === undefined) return folder
  throw Object.assign(new Error(`${folder} ${fault}`), { code: "EACCES", path: folder })
}

/**
 * Writes one of the user's files in one step: a reader sees the old text or the new one. It never
 * writes through a link that stands in the place of the draft.
 *
 * @throws the system's error with the path, which Node leaves out on a full disk.
 */
export function replaceFile(path: string, text: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.${process.pid}`
  try {
    fs.rmSync(draft, { force: true })
    fs.writeFileSync(draft, text, { mode, flag: "wx" })
    fs.renameSync(draft, path)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw Object.assign(error as Error, { path })
  }
}
