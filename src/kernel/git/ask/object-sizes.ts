/** How large objects are, alone or with all that they lead to. */
import type { Oid } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { askObjects } from "./object-reader.ts"

/** Bytes, in the order asked; undefined where the object is not here, like the commit of a submodule. */
export async function readSizes(
  cwd: string,
  oids: readonly Oid[],
): Promise<(number | undefined)[]> {
  const questions = oids.map((name) => ({ verb: "info", name }) as const)
  return (await askObjects(cwd, questions)).map((found) => found?.sizeBytes)
}

/** @param known commits whose objects do not count, like those of branches and tags. */
export async function readDiskUsage(
  cwd: string,
  commits: readonly Oid[],
  known: readonly Oid[] = [],
): Promise<number> {
  const others = ["--not", "--branches", "--remotes", "--tags", ...known]
  const args = ["rev-list", "--objects", "--disk-usage", ...commits, ...others, "--"]
  return Number((await git(cwd, args)).stdout.trim())
}
