/** Reads commit objects, and their tree and parents. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import { askObjects } from "./object-reader.ts"

export type Commit = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** The whole commit object, one char per raw byte. */
  readonly raw: string
}

/** @returns the objects that exist and are commits. */
export async function findCommits(cwd: string, oids: readonly Oid[]): Promise<readonly Commit[]> {
  const questions = oids.map((name) => ({ verb: "contents", name }) as const)
  const found = await askObjects(cwd, questions)
  return found.flatMap((object) =>
    object?.type === "commit" ? parseLinks(object.oid, object.content) : [],
  )
}

/** Reads it like git: parents follow the tree line and stand nowhere else; ids in either case. */
export function parseLinks(oid: Oid, raw: string): Commit {
  const header = /^tree ([0-9a-fA-F]+)\n((?:parent [0-9a-fA-F]+\n)*)/.exec(raw)
  assert(header, "git takes it for a commit")
  const [, tree = "", lines = ""] = header.map((text) => text.toLowerCase())
  const parents = lines.split("\n").filter(Boolean)
  const parentOids = parents.map((line) => line.slice("parent ".length) as Oid)
  return { oid, tree: tree as Oid, parents: parentOids, raw }
}
