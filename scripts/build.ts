/**
 * Builds dist/, what the package holds: JavaScript bundled into a few files, since a daemon of
 * hundreds of modules takes twice as long to start; types from tsc; the migrations as they are.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { rolldown } from "rolldown"

/** What bin/coppice.js and users of the package load. */
const ENTRIES = ["index", "cli/main", "daemon/main", "homes/list-homes", "torture/torture"]

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
if (status !== 0) process.exit(1)

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  platform: "node",
  external: /^[^./]/, // dependencies are installed beside the package, not copied into it
})
// As deep as the folders of src, so that what is found beside a module is found beside its bundle.
await bundle.write({ dir: "dist", chunkFileNames: "shared/[name].js" })

const plain = globSync("src/**/*.*", { exclude: (path) => path.endsWith(".ts") })
for (const path of plain) cpSync(path, join("dist", relative("src", path)))
