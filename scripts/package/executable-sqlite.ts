/**
 * In the single executable, replaces better-sqlite3's search for its native module.
 *
 * The system can load native code only from a file. So the executable writes its embedded copy to the
 * user's cache, and compares the file with that copy at every start.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { getRawAsset } from "node:sea"
import { readVersion } from "../../src/client/daemon-address.ts"
import { makeCacheFolder, replaceFile } from "../../src/client/private-folder.ts"

/** The name of the embedded copy. */
export const SQLITE = "sqlite.node"
let loaded: object | undefined

/** @throws the system's error if the cache is not writable, or other users can write to it. */
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
