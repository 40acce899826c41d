/**
 * Finds files that Coppice's own programs, such as a hook's command, would run outside of the fence that
 * holds the work's agent.
 *
 * Such a program was approved by name, in the home's checkout. So a change of what it names, or of what
 * that names in its place, needs a person (docs/adr/0156).
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { readBlobAt } from "../../git/ask/cat-file.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listTree } from "../../git/ask/ls-tree.ts"
import { displayPath } from "../../git/start/path.ts"
import { changesScripts, gateDependence, scriptTexts } from "../rules/gate-files.ts"
import { folderAround, NamedFiles } from "../rules/names-of-code.ts"

/** Longer files are data. */
const SCRIPT_BYTES_MAX = 256 * 1024
/** A command that reaches more files than this is as good as one that reaches all. */
const READ_MAX = 300
/** A person reads these names in a line; the diff shows all. */
const NAMED_MAX = 5
const MANIFEST = "package.json"

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
  const reached = await listReached(work, commands, changes)
  const run: string[] = []
  for (const file of changes) {
    const isRun = reached === "all" || reached.has(file)
    if (isRun && (await isCode(work, file))) run.push(displayPath(file))
  }
  if (run.length === 0) return null
  return `changes what the home's hooks run outside of any containment: ${nameSome(run, NAMED_MAX)}`
}

let latest: { readonly of: string; readonly index: NamedFiles } | undefined

/** The latest one is kept: a landing asks more than once, and an index of 100,000 files takes a second. */
async function indexOf(path: string, target: Oid): Promise<NamedFiles> {
  const of = `${path}\n${target}`
  if (latest?.of !== of) {
    const tree = await listTree(path, target)
    latest = { of, index: new NamedFiles(tree.map((entry) => entry.path)) }
  }
  return latest.index
}

/** All that the commands name, and what that names: as on the target, with the files of the work. */
async function listReached(
  { path, target }: Work,
  commands: readonly string[],
  changes: readonly GitPath[],
): Promise<ReadonlySet<string> | "all"> {
  const indexes = [await indexOf(path, target), new NamedFiles(changes)]
  const reached = new Set<string>()
  const scripts: string[] = []
  const follow = (text: string, folder?: string) => {
    scripts.push(...gateDependence(text).scripts)
    for (const index of indexes) for (const file of index.find(text, folder)) reached.add(file)
  }
  for (const command of commands) follow(command)
  for (const file of reached) {
    if (reached.size > READ_MAX) return "all"
    const text = (await readBlobAt(path, target, file as GitPath, SCRIPT_BYTES_MAX))?.toString(
      "latin1",
    )
    if (text === undefined) continue
    if (isManifest(file)) for (const script of scriptTexts(text, scripts)) follow(script)
    else follow(text, folderAround(file))
  }
  return reached
}

/** In a package.json, only scripts are. */
async function isCode({ path, base, head }: Work, file: GitPath): Promise<boolean> {
  if (!isManifest(file)) return true
  const read = async (commit: Oid) =>
    (await readBlobAt(path, commit, file, SCRIPT_BYTES_MAX))?.toString("utf8")
  return changesScripts(await read(base), await read(head))
}

const isManifest = (file: string): boolean => file === MANIFEST || file.endsWith(`/${MANIFEST}`)
