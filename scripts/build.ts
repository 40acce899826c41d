/**
 * Builds dist/, the contents of the package: bundled JavaScript, the types of the library, and the
 * migrations. A daemon of hundreds of modules would take twice as long to start.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { writeBundle } from "./bundle.ts"

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
if (status !== 0) process.exit(1)
await writeBundle("dist")
