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

/** How many objects of the commit's tree are not here, as in a partial clone. @param known a commit that is whole. */
export async function countMissing(cwd: string, commit: Oid, known?: Oid): Promise<number> {
  const trees = [`${commit}^{tree}`, ...(known ? [`^${known}^{tree}`] : [])]
  // Git before 2.45 ends at the first missing object that another command asks for.
  const listed = await git(cwd, ["rev-list", "--objects", "--missing=print", ...trees, "--"])
  return listed.stdout.split("\n").filter((line) => line.startsWith("?")).length
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
