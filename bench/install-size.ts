/** The room that the package takes on a disk, with all that npm installs for it. */
import { lstatSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Figure, Place, Samples } from "./figure.ts"

const BLOCK_BYTES = 512

export const installSize: Figure = {
  name: "install-size",
  subject: "node_modules after `npm install` of the packed package, without an agent program",
  baseline: "an empty folder",
  unit: "MiB",
  addedMax: 38, // 40 MB
  measure,
}

async function measure({ launcher }: Place): Promise<Samples> {
  const installed = join(dirname(launcher), "../..")
  return { baseline: [0], subject: [diskBytes(installed) / 2 ** 20] }
}

/** Whole blocks, as `du` counts them. */
function diskBytes(path: string): number {
  const stats = lstatSync(path)
  const own = stats.blocks * BLOCK_BYTES
  if (!stats.isDirectory()) return own
  return readdirSync(path).reduce((sum, name) => sum + diskBytes(join(path, name)), own)
}
