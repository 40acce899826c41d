/**
 * New repositories, all alike: git makes the first of its kind, of the others only the files are written.
 *
 * Tests make hundreds of them, and starting git six times for each took longer than many a test.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

/** By path; null is a folder. Folders come before what is in them. */
export type Entries = readonly (readonly [path: string, content: Buffer | null])[]

const known = new Map<string, Entries>()

/**
 * Makes the folder `path` a repository, by `make` or as `make` made another one of this `kind`.
 *
 * @returns whether it is a copy: then its index knows the files' contents, but not their times.
 */
export function fillNewRepo(path: string, kind: string, make: () => void): boolean {
  const entries = known.get(kind)
  if (entries === undefined) {
    make()
    known.set(kind, readEntries(path))
    return false
  }
  writeEntries(path, entries)
  return true
}

export function writeEntries(path: string, entries: Entries): void {
  for (const [name, content] of entries) {
    if (content === null) mkdirSync(join(path, name))
    else writeFileSync(join(path, name), content)
  }
}

export function readEntries(path: string): Entries {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => [join(entry.parentPath, entry.name), entry.isDirectory()] as const)
    .filter(([full]) => !full.endsWith(".sample")) // of hooks: nothing reads them
    .map(
      ([full, isFolder]) => [relative(path, full), isFolder ? null : readFileSync(full)] as const,
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
