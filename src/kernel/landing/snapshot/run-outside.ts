/**
 * Finds files that Coppice's own programs, such as a hook's command, would run outside of the fence that
 * holds the work's agent.
 *
 * Such a program was approved by name, in the home's checkout. So a change of what it may run needs a
 * person (docs/adr/0156).
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { readBlobAt, readObjects } from "../../git/ask/cat-file.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listTree } from "../../git/ask/ls-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { Reach, TreePlaces } from "../rules/reach.ts"

/** Longer files are data. */
const SCRIPT_BYTES_MAX = 256 * 1024
/** A command that reaches more files than this is as good as one that reaches all. */
const READ_MAX = 300
/** The mode of a symbolic link. */
const LINK = "120000"

type Work = {
  readonly path: string
  readonly base: Oid
  readonly head: Oid
  /** The target's commit, whose files the commands run. */
  readonly target: Oid
}

/** @returns words that continue "it"; null: no change is run outside. */
export async function runsOutside(work: Work, commands: readonly string[]): Promise<string | null> {
  if (commands.length === 0) return null
  const { path, base, head } = work
  const changes = (await listChanges(path, base, head)).map((change) => change.path)
  if (changes.length === 0) return null
  const reach = await reachOf(work, commands, changes)
  const run = changes.filter((file) => reach.has(file)).map(displayPath)
  if (run.length === 0) return null
  return `changes what the home's hooks may run outside of any containment: ${nameSome(run)}`
}

let latest: { readonly of: string; readonly places: TreePlaces } | undefined

/** The latest one is kept: a landing asks more than once. */
async function placesOf(path: string, target: Oid): Promise<TreePlaces> {
  const of = `${path}\n${target}`
  if (latest?.of !== of) {
    const tree = await listTree(path, target)
    const links = tree.filter(({ mode }) => mode === LINK)
    const texts = await readObjects(
      path,
      links.map(({ oid }) => oid),
    )
    const led = new Map(links.map((link, n) => [link.path, texts[n] ?? ""]))
    latest = {
      of,
      places: new TreePlaces(
        tree.map((entry) => entry.path),
        led,
      ),
    }
  }
  return latest.places
}

/** All that the commands may run: as on the target, with the files of the work. */
async function reachOf(
  { path, target }: Work,
  commands: readonly string[],
  changes: readonly GitPath[],
): Promise<Reach> {
  const reach = new Reach([await placesOf(path, target), new TreePlaces(changes)])
  for (const command of commands) reach.follow(command)
  for (const file of reach.scripts) {
    if (reach.isAll) break
    const script = await readBlobAt(path, target, file as GitPath, SCRIPT_BYTES_MAX)
    if (script === undefined || reach.scripts.size > READ_MAX) reach.addAll()
    else reach.follow(script.toString("latin1"))
  }
  return reach
}
