/**
 * Writes a file that is embedded in the single executable to the user's cache.
 *
 * The system can load native code and start programs only from a file. So each start compares the
 * file with the embedded copy.
 */
import { existsSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { getRawAsset } from "node:sea"
import { readVersion } from "../../src/api/client/daemon-address.ts"
import { makeCacheFolder, replaceFile } from "../../src/api/client/make-private-folder.ts"

/**
 * @param asset the name of the embedded copy. @returns the path of the file.
 * @throws the system's error if the cache is not writable, or other users can write to it.
 */
export function writeEmbedded(asset: string, mode?: number): string {
  const code = Buffer.from(getRawAsset(asset))
  const end = extname(asset)
  const name = `${asset.slice(0, asset.length - end.length).replaceAll("/", "-")}-${readVersion()}${end}`
  const file = join(makeCacheFolder(process.env), name)
  if (!existsSync(file) || !readFileSync(file).equals(code)) replaceFile(file, code, mode)
  return file
}
