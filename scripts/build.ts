/**
 * Builds dist/, what the package holds: JavaScript bundled into a few files, since a daemon of
 * hundreds of modules takes twice as long to start; types from tsc, of the library alone; the
 * migrations as they are.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { writeBundle } from "./bundle.ts"

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
if (status !== 0) process.exit(1)
await writeBundle("dist")
