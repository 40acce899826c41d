/**
 * Builds dist/, the contents of the package: bundled JavaScript, the types of the library, the
 * migrations, and the man pages. A daemon of hundreds of modules would take twice as long to start.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { readVersion } from "../src/client/daemon-address.ts"
import { writeBundle } from "./bundle.ts"
import { writeManPages } from "./man-pages.ts"

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
if (status !== 0) process.exit(1)
await writeBundle("dist")
await writeManPages("dist/man", readVersion())
