/**
 * Replaces better-sqlite3's search for its compiled code in the single executable.
 *
 * The system loads such code from a file alone. So the executable writes the copy that it carries to
 * the user's cache, and compares that file with its own copy at every start.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { getRawAsset } from "node:sea"
import { readVersion } from "../../src/client/daemon-address.ts"
import { makeCacheFolder, replaceFile } from "../../src/client/private-folder.ts"

/** The name of its copy in the executable. */
export const SQLITE = "sqlite.node"
let loaded: object | undefined

/** @throws the system's error if the cache cannot be written, or others can write it. */
export function getBinding(): object {
  loaded ??= load()
  return loaded
}

function load(): object {
  const code = Buffer.from(getRawAsset(SQLITE))
  const file = join(makeCacheFolder(process.env), `sqlite-${readVersion()}.node`)
  if (!existsSync(file) || !readFileSync(file).equals(code)) replaceFile(file, code)
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}
