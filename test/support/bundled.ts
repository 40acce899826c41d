/**
 * The program of `landing-main.ts`, bundled once for a run: it starts in a third of the time that its
 * hundreds of modules take.
 */
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { writeBundle } from "../../scripts/bundle.ts"
import { BUILT } from "./home.ts"

const SOURCE = join(import.meta.dirname, "landing-main.ts")
/** As deep as the chunks of a bundle: from there its modules find the files that they read. */
const PROGRAM = "shared/code/landing-main"

/** @returns the program's file. */
export async function bundleLandingMain(): Promise<string> {
  const built = process.env[BUILT]
  if (built === undefined) return SOURCE
  const folder = join(built, "landing")
  if (!existsSync(folder)) await bundle(folder)
  return join(folder, `${PROGRAM}.js`)
}

/** Several workers may do it at the same time: the first one's is used. */
async function bundle(folder: string): Promise<void> {
  const own = `${folder}-${process.pid}`
  await writeBundle(own, { [PROGRAM]: SOURCE })
  try {
    renameSync(own, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(own, { recursive: true })
  }
}
