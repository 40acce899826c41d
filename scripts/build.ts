/**
 * Builds dist/, the contents of the package: bundled JavaScript, the dashboard, the types of the
 * library, the man pages, and files that the program reads. A daemon of hundreds of modules starts
 * half as fast. `--dashboard` builds the dashboard alone, so that a clone still runs its TypeScript.
 */
import { rmSync } from "node:fs"
import { readVersion } from "../src/api/client/daemon-address.ts"
import { writeBundle } from "./bundle.ts"
import { writeDashboard } from "./dashboard.ts"
import { writeManPages } from "./man-pages.ts"
import { writeTypes } from "./types.ts"

const isWhole = !process.argv.includes("--dashboard")
rmSync("dist", { recursive: true, force: true })
if (isWhole) {
  writeTypes("dist")
  await writeBundle("dist")
  await writeManPages("dist/man", readVersion())
}
await writeDashboard("dist/dashboard")
