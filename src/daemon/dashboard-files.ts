/** Reads the files of the dashboard, which the build puts into the package. */
import { readdirSync } from "node:fs"
import { getAssetKeys, getRawAsset, isSea } from "node:sea"
import { readPlain } from "../process/plain-file.ts"

/** Their folder in the package, and their prefix in the single executable. */
const FOLDER = "dist/dashboard/"

/** By their paths in the address: `index.html`, `assets/index-….js`. Empty if there was no build. */
export function readDashboard(): ReadonlyMap<string, Buffer> {
  if (isSea()) {
    const keys = getAssetKeys().filter((key) => key.startsWith(FOLDER))
    return new Map(keys.map((key) => [key.slice(FOLDER.length), Buffer.from(getRawAsset(key))]))
  }
  const folder = new URL(`../../${FOLDER}`, import.meta.url)
  const files = new Map<string, Buffer>()
  for (const name of listFiles(folder)) {
    const bytes = readPlain(new URL(name, folder))
    if (bytes) files.set(name, bytes)
  }
  return files
}

function listFiles(folder: URL): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
    const parent = entries.filter((entry) => entry.isFile())
    return parent.map(({ parentPath, name }) =>
      `${parentPath}/${name}`.slice(folder.pathname.length).replace(/^\//, ""),
    )
  } catch {
    return [] // a clone that was never built
  }
}
