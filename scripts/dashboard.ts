/** Builds the dashboard: one page, one script and one stylesheet, without anything inline. */
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { build, type Rolldown } from "vite"
import { modulesIn } from "./bundle.ts"
import { licencesOf } from "./licences.ts"

const SOURCE = resolve(import.meta.dirname, "../dashboard")

/** @param folder the folder to write to. @returns the licences of what is in it. */
export async function writeDashboard(folder: string): Promise<string> {
  const output = (await build({
    root: SOURCE,
    configFile: false,
    logLevel: "warn",
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: false,
      target: "es2024",
    },
  })) as Rolldown.RolldownOutput
  const licences = licencesOf(modulesIn(output))
  writeFileSync(join(folder, "licences.txt"), licences)
  return licences
}
