/**
 * The migrations of the state database: files of SQL in the kernel and in the folders of features.
 *
 * A file's name is its number, so that features cannot have the same one. A released file never changes.
 */
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { getAsset, isSea } from "node:sea"
import { fileURLToPath } from "node:url"
import { assert } from "../../base/assert.ts"

/** The name of the single executable's list of texts: it has no folders. */
export const MIGRATIONS_ASSET = "migrations.json"

/** Below `src`, and below the folder of a bundle. */
const FILES = "{kernel/store,features/*}/migrations/*.sql"

let known: readonly string[] | undefined

/** The texts in order: the nth brings a database from version n-1 to n. */
export function migrations(): readonly string[] {
  known ??= isSea() ? JSON.parse(getAsset(MIGRATIONS_ASSET, "utf8")) : readMigrations()
  return known as readonly string[]
}

/** The texts from the files of this program. A module's folder is two levels below, also in a bundle. */
export function readMigrations(): readonly string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url))
  const files = globSync(FILES, { cwd: root }).toSorted((a, b) =>
    basename(a) < basename(b) ? -1 : 1,
  )
  return files.map((file, at) => {
    const name = `${String(at + 1).padStart(4, "0")}.sql`
    assert(basename(file) === name, `the migration after number ${at} is ${name}`)
    return readFileSync(join(root, file), "utf8")
  })
}
