/**
 * Builds dist/, the contents of the package: bundled JavaScript, the types of the library, the man
 * pages, and files that the program reads. A daemon of hundreds of modules starts half as fast.
 */
import { rmSync } from "node:fs"
import { readVersion } from "../src/client/daemon-address.ts"
import { writeBundle } from "./bundle.ts"
import { writeManPages } from "./man-pages.ts"
import { writeTypes } from "./types.ts"

rmSync("dist", { recursive: true, force: true })
writeTypes("dist")
await writeBundle("dist")
await writeManPages("dist/man", readVersion())
