/** Reads the files of the dashboard, which the build puts into the package. */
import { readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { getAssetKeys, getRawAsset, isSea } from "node:sea"
import { fileURLToPath } from "node:url"
import { readPlain } from "../../kernel/process/plain-file.ts"

/** The folder of the page's files in the package, and their prefix in the single executable. */
const FOLDER = "dist/dashboard/"

/** By their paths in the address: `index.html`, `assets/index-….js`. Empty if there was no build. */
export function readDashboard(): ReadonlyMap<string, Buffer> {
  if (isSea()) {
    const keys = getAssetKeys().filter((key) => key.startsWith(FOLDER))
    return new Map(keys.map((key) => [key.slice(FOLDER.length), Buffer.from(getRawAsset(key))]))
  }
  const folder = fileURLToPath(new URL(`../../../${FOLDER}`, import.meta.url))
  const files = new Map<string, Buffer>()
  for (const name of listFiles(folder)) {
    const bytes = readPlain(join(folder, name))
    if (bytes) files.set(name, bytes)
  }
  return files
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
    const files = entries.filter((entry) => entry.isFile())
    return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
  } catch {
    return [] // a clone that was never built
  }
}
