/** In the single executable, replaces better-sqlite3's search for its native module: it is embedded. */
import { writeEmbedded } from "./embedded.ts"

/** The name of the embedded copy. */
export const SQLITE = "sqlite.node"
let loaded: object | undefined

/** @throws the system's error if the cache is not writable, or other users can write to it. */
export function getBinding(): object {
  loaded ??= load()
  return loaded
}

function load(): object {
  const module = { exports: {} }
  process.dlopen(module, writeEmbedded(SQLITE))
  return module.exports
}
