/**
 * The program that tests start, and its dashboard: bundled from the working copy, once for a run.
 *
 * It is what users get, and a daemon of it starts in half the time of one of hundreds of modules.
 */
import { cpSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { writeBundle } from "../../scripts/bundle.ts"
import { writeDashboard } from "../../scripts/dashboard.ts"
import { BUILT } from "./home.ts"
import { clear } from "./scratch.ts"

const ROOT = resolve(import.meta.dirname, "../..")
/** The dashboard's folder in that of the program. */
export const DASHBOARD = "dist/dashboard"

let folder: string | undefined

/** Called by vitest before it starts workers, which inherit the variable. */
export async function setup(): Promise<void> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-built-")))
  process.once("exit", teardown) // a signal ends a run without a word
  for (const name of ["bin", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  await writeBundle(join(folder, "dist"))
  await writeDashboard(join(folder, DASHBOARD))
  process.env[BUILT] = folder
}

export function teardown(): void {
  if (folder !== undefined) clear(folder)
}
