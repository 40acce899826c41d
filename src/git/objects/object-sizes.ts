/** `git cat-file --batch-check`: how large objects are, without reading them. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { askObjects } from "./object-reader.ts"

/** Bytes, in the order asked; undefined of what is not here, like the commit of a submodule. */
export async function readSizes(
  cwd: string,
  oids: readonly Oid[],
): Promise<(number | undefined)[]> {
  if (oids.length === 0) return []
  const asked = await askObjects(
    cwd,
    oids.map((name) => ({ verb: "info", name })),
  )
  if (asked) return asked.map((found) => found?.sizeBytes)
  const args = ["cat-file", "--batch-check=%(objectsize)"]
  const { stdout } = await git(cwd, args, { stdin: `${oids.join("\n")}\n` })
  const lines = stdout.split("\n").slice(0, -1)
  return lines.map((line) => (/^\d+$/.test(line) ? Number(line) : undefined))
}
