/** How large objects are, without reading them. */
import type { Oid } from "../../core/ids.ts"
import { askObjects } from "./object-reader.ts"

/** Bytes, in the order asked; undefined where the object is not here, like the commit of a submodule. */
export async function readSizes(
  cwd: string,
  oids: readonly Oid[],
): Promise<(number | undefined)[]> {
  const questions = oids.map((name) => ({ verb: "info", name }) as const)
  return (await askObjects(cwd, questions)).map((found) => found?.sizeBytes)
}
