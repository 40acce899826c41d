/** Builds dist/, what the package holds: JavaScript and types from tsc, all other files of src as they are. */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, rmSync } from "node:fs"
import { join, relative } from "node:path"

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" })
if (status !== 0) process.exit(1)

const plain = globSync("src/**/*.*", { exclude: (path) => path.endsWith(".ts") })
for (const path of plain) cpSync(path, join("dist", relative("src", path)))
