/**
 * Finds the files that a landing's own gate depends on (`gate_files`) and that the landing changes.
 *
 * Work that edits its own test may pass for that reason alone. It still lands, but the task, its
 * events and a request for approval name the files.
 */
import { matchesGlob } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readBlobAt } from "../../git/ask/cat-file.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { appendEvent } from "../../store/events.ts"
import type { LandingContext, Rows, Step } from "../action.ts"
import {
  changesScripts,
  type GateDependence,
  gateDependence,
  scriptTexts,
} from "../rules/gate-files.ts"
import { findGate } from "./choose-gate.ts"

const CONFIG_FILES = ["coppice.yml", "coppice.local.yml"]
const PACKAGE_JSON = "package.json" as GitPath
/** The same limit as for guessing a gate. A longer file is not read. */
const MANIFEST_BYTES_MAX = 1024 * 1024

export type Changed = {
  readonly name: string
  readonly path: string
  /** The target's commit, which names the gate. */
  readonly base: Oid
  readonly candidate: Oid
}

/**
 * @returns display paths: the files that gate, set-up, check and teardown run, and always
 *   coppice.yml.
 */
export async function listGateFiles(
  context: Pick<LandingContext, "repoConfig">,
  changed: Changed,
): Promise<readonly string[]> {
  const { path, base, candidate } = changed
  if (base === candidate) return []
  const gate = await findGate(context, changed, base)
  const changes = (await listChanges(path, base, candidate)).map((change) => change.path)
  const { gateFiles, setup, check, teardown } = context.repoConfig(changed)
  const isMatched = (file: string) => gateFiles?.some((pattern) => matchesGlob(file, pattern))
  const commands = [gateFiles ? undefined : gate, setup, check, teardown].filter(isCommand)
  const named = new Set(CONFIG_FILES)
  const anywhere = new Set<string>()
  for (const command of commands)
    for (const found of await listDependences(changed, command, changes.includes(PACKAGE_JSON))) {
      for (const path of found.paths) named.add(path)
      for (const path of found.anywhere) anywhere.add(path)
    }
  const isRead = (file: string) => [...anywhere].some((path) => `/${file}`.endsWith(`/${path}`))
  return changes
    .map(displayPath)
    .filter((file) => named.has(file) || isRead(file) || isMatched(file))
}

const isCommand = (command: string | false | undefined): command is string => Boolean(command)

/** The files of the command and of the scripts that it runs, before the change and after it. */
async function listDependences(
  { path, base, candidate }: Changed,
  command: string,
  isManifestChanged: boolean,
): Promise<readonly Pick<GateDependence, "paths" | "anywhere">[]> {
  const own = gateDependence(command)
  const { scripts } = own
  if (scripts.length === 0) return [own]
  const read = async (commit: Oid) =>
    (await readBlobAt(path, commit, PACKAGE_JSON, MANIFEST_BYTES_MAX))?.toString("utf8")
  const before = await read(base)
  const after = isManifestChanged ? await read(candidate) : before
  const texts = [...scriptTexts(before, scripts), ...scriptTexts(after, scripts)]
  const manifest = { paths: changesScripts(before, after) ? [PACKAGE_JSON] : [], anywhere: [] }
  return [own, ...texts.map(gateDependence), manifest]
}

/** Event `gate.files_changed`, if there are any. @param paths from {@link listGateFiles}. */
export function tellGateFiles(
  { context, landing, task }: Step<Rows>,
  { name }: { readonly name: string },
  paths: readonly string[],
): void {
  if (paths.length === 0) return
  const data = { landing: landing.id, name, paths }
  const event = { type: "gate.files_changed", task: task.id, data } as const
  appendEvent(context.db, event, context.world.nowMs())
}

/** Continues a sentence about the work. */
export const gateFilesReason = (paths: readonly string[]): string =>
  `changes what Coppice runs: ${paths.join(", ")}`
