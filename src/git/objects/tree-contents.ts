/** The contents of tree objects, which somebody may have named and not written. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { askObjects } from "./object-reader.ts"

/** @returns in the order asked, one char per raw byte; undefined where there is none, or something else. */
export async function readTreeContents(
  cwd: string,
  oids: readonly Oid[],
): Promise<(string | undefined)[]> {
  const asked = await askObjects(
    cwd,
    oids.map((name) => ({ verb: "contents", name })),
  )
  const contents: (string | undefined)[] = []
  for (const [n, oid] of oids.entries()) {
    const found = asked?.[n]
    if (found) contents.push(found.type === "tree" ? found.content : undefined)
    else contents.push(await readByGit(cwd, oid)) // it may be very large, or have to be fetched
  }
  return contents
}

async function readByGit(cwd: string, oid: Oid): Promise<string | undefined> {
  const { exitCode, stdout } = await git(cwd, ["cat-file", "tree", oid], { answers: [0, 128] })
  return exitCode === 0 ? stdout : undefined
}
