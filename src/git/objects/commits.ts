/**
 * Commit objects, remembered: a commit never changes, so what is known of one holds, whatever
 * repository it is asked of. Which commits a ref leads to is asked anew each time.
 */
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

/** With a few hundred bytes each, a megabyte or two. */
const REMEMBERED_MAX = 2_000
const REMEMBERED_CHARS_MAX = 4_096

const remembered = new Map<Oid, Commit>()

/** @returns in the order asked; undefined when one is not there, is no commit, or nobody can say. */
export async function findCommits(
  cwd: string,
  oids: readonly Oid[],
): Promise<readonly Commit[] | undefined> {
  const known = oids.flatMap((oid) => remembered.get(oid) ?? [])
  if (known.length === oids.length) return known
  const commits = await ask(cwd, oids)
  return commits && commits.length === oids.length ? commits : undefined
}

/** How many first parents are asked for along with a commit: one answer for most of a task's work. */
const AHEAD = 7

/** As {@link findCommits}; of what comes before it some is remembered then. */
export async function findCommitAhead(cwd: string, oid: Oid): Promise<Commit | undefined> {
  const known = remembered.get(oid)
  if (known) return known
  const before = Array.from({ length: AHEAD }, (_, n) => `${oid}~${n + 1}`)
  const [first] = (await ask(cwd, [oid, ...before])) ?? []
  return first?.oid === oid ? first : undefined
}

/** @returns those that are there; undefined when nobody can say. */
async function ask(cwd: string, names: readonly string[]): Promise<Commit[] | undefined> {
  const questions = names.map((name) => ({ verb: "contents", name }) as const)
  const found = await askObjects(cwd, questions)
  return found?.flatMap((object) =>
    object?.type === "commit" ? rememberCommit(object.oid, object.content) : [],
  )
}

/** Whether it is known without asking git. */
export const isRemembered = (oid: Oid): boolean => remembered.has(oid)

/** Of one that was just read, or written. */
export function rememberCommit(oid: Oid, raw: string): Commit {
  const commit = parseLinks(oid, raw)
  if (raw.length > REMEMBERED_CHARS_MAX) return commit
  remembered.set(oid, commit)
  const [oldest] = remembered.size > REMEMBERED_MAX ? remembered.keys() : []
  if (oldest) remembered.delete(oldest)
  return commit
}

/** As git reads it: parents stand right behind the tree, and nowhere else; ids in either case. */
export function parseLinks(oid: Oid, raw: string): Commit {
  const header = /^tree ([0-9a-fA-F]+)\n((?:parent [0-9a-fA-F]+\n)*)/.exec(raw)
  assert(header, "git takes it for a commit")
  const [, tree = "", lines = ""] = header.map((text) => text.toLowerCase())
  const parents = lines.split("\n").filter(Boolean)
  const parentOids = parents.map((line) => line.slice("parent ".length) as Oid)
  return { oid, tree: tree as Oid, parents: parentOids, raw }
}
