/** Bundles the JavaScript of the package, and puts the files beside it that it reads. */
import { cpSync, globSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"

const SOURCE = resolve(import.meta.dirname, "../src")
/** The entry points for bin/coppice.js and users of the package. */
const ENTRIES = [
  ...["index", "cli/main", "daemon/main", "daemon/read-ended"],
  ...["homes/list-homes", "homes/read-names", "mcp/serve"],
]
/** `coppice torture`: it is in the package, and is not part of the program. */
const TORTURE = resolve(import.meta.dirname, "../torture/torture.ts")

type Bundled = {
  /** The entry points, by their place in the bundle: in a folder next to the files that they read. */
  readonly input: Readonly<Record<string, string>>
  /** Names of what is loaded from elsewhere. */
  readonly external: RegExp
}

const PACKAGE: Bundled = {
  input: {
    ...Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCE, `${name}.ts`)])),
    "torture/torture": TORTURE,
  },
  external: /^[^./]/, // dependencies are installed beside the package, not copied into it
}

/** @param dist the folder to write to. */
export async function writeBundle(dist: string, bundled = PACKAGE): Promise<void> {
  const bundle = await rolldown({ ...bundled, platform: "node" })
  // As deep as the folders of src, so that what is found beside a module is found beside its bundle.
  await bundle.write({ dir: dist, chunkFileNames: "shared/[name].js" })
  await bundle.close()

  const plain = globSync(join(SOURCE, "**/*.*"), { exclude: (path) => path.endsWith(".ts") })
  for (const path of plain) cpSync(path, join(dist, relative(SOURCE, path)))
}
