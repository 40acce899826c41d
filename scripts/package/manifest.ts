/** The fields of package.json that the Debian and Homebrew packages repeat. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

export type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly author: string
  readonly repository?: { readonly url: string }
}

/** @param root the folder of the package. */
export function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
}
