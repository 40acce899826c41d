/** Finds and removes the small files of Coppice in a repository, when no home needs them any more. */
import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs"
import { join } from "node:path"

/** Files that only Coppice writes into the common git directory. */
const OURS =
  /^(coppice\.(lock(-journal)?|home(\.[0-9a-f-]{36})?|schema\.json)|coppice-gate(-start)?|index\.coppice-\d+)$/

/** @returns the paths of plain files; anything else of such a name is a person's. */
export function listTraces(commonDir: string): string[] {
  return readdirSync(commonDir)
    .filter((name) => OURS.test(name))
    .map((name) => join(commonDir, name))
    .filter((path) => lstatSync(path).isFile())
}

/** @param path from {@link listTraces}. */
export function removeTrace(path: string): void {
  rmSync(path, { force: true })
}

/** Whether a folder exists and holds nothing but `going`: paths that are removed before it. */
export function holdsOnly(path: string, going: ReadonlySet<string>): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  return readdirSync(path).every((name) => going.has(join(path, name)))
}

/** Removes a folder if it is empty. @returns whether it is gone. */
export function removeEmptyFolder(path: string): boolean {
  if (holdsOnly(path, new Set())) rmdirSync(path)
  return !existsSync(path)
}
