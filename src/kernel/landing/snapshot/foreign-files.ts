/**
 * Finds files in commits that are not the agent's work: files from `copy`, `link` and set-up.
 *
 * We check every commit that would land, because a secret that a later commit removes stays in the
 * history. A placed file is known by its path, or by its content under another name. A file from
 * set-up is known by path and content together, because the agent's own version is work. In a folder
 * that set-up made for a tool (`node_modules`), no file is work.
 */
import { existsSync } from "node:fs"
import { matchesGlob } from "node:path"
import { branchRef, type GitPath, type Oid } from "../../../base/ids.ts"
import { describePaths, groupPaths } from "../../../base/text/group-paths.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { type Added, listAdded } from "../../git/ask/log.ts"
import { listNames, listTree } from "../../git/ask/ls-tree.ts"
import { listMade, type MadeFile } from "../../git/ask/made-files.ts"
import { readMergeBase } from "../../git/ask/merge-base.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { isPlaced } from "../../workspaces/placed-files.ts"
import { listToolFolders } from "../../workspaces/setup/made-by-set-up.ts"
import { type Configured, type Step, taskRepo } from "../action.ts"
import { findBase } from "../candidate/work-base.ts"
import type { ForeignFacts } from "../prompts/foreign-files.ts"

const EMPTY_BLOBS: readonly string[] = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]

/** @returns undefined if all files that `head` would land are work. */
export async function findForeignFiles(
  step: Step<Configured>,
  { name }: { readonly name: string },
  head: Oid,
): Promise<ForeignFacts | undefined> {
  if (step.landing.undoes !== null) return undefined
  const repo = taskRepo(step, { name })
  const isNotWork = placedBy(step, repo)
  const isOurs = step.task.strategy !== null && repo.worktree !== null
  const worktree = isOurs && existsSync(repo.worktree) ? repo.worktree : undefined
  const made = worktree === undefined ? new Map<GitPath, MadeFile>() : await listMade(worktree)
  const folders = worktree === undefined ? [] : await listToolFolders(worktree)
  const tools = folders.length === 0 ? [] : await foldersIn(repo.path, head, folders)
  if (!isNotWork && made.size === 0 && tools.length === 0) return undefined
  const target = await readCommit(repo.path, branchRef(repo.target))
  const mergeBase = target && (await readMergeBase(repo.path, head, target))
  const base = await findBase(repo.path, repo, { head, mergeBase })
  if (!target || !base || base === head) return undefined
  const work = await listChanges(repo.path, base, head)
  const net = work.flatMap(({ status, path, newMode, newOid }) =>
    status === "A" ? [{ path, mode: newMode, oid: newOid }] : [],
  )
  const added = [...net, ...(await listAdded(repo.path, { to: head, except: [base, target] }))]
  const isPlacedPath = isNotWork ?? (() => false)
  const copies = await findCopies(repo.path, base, { added, made, isPlacedPath })
  const isOfTool = (path: GitPath) => tools.some((folder) => path.startsWith(folder))
  const isLeft = (one: Added) =>
    isPlacedPath(one.path) || isSame(one, made.get(one.path)) || isOfTool(one.path)
  const put = await notIn(repo.path, target, added.filter(isLeft))
  const placed = put.filter(({ path }) => isPlacedPath(path))
  const left = put.filter(({ path }) => !isPlacedPath(path))
  const all = [...placed, ...copies, ...left]
  if (all.length === 0) return undefined
  const foreign = new Set(all.map(({ path }) => path))
  const others = work.map(({ path }) => path).filter((path) => !foreign.has(path))
  return {
    placed: named(placed),
    copies: named(copies),
    made: describePaths(named(left)),
    paths: pathspecs([...foreign].map(displayPath), others.map(displayPath)),
    base,
    head,
  }
}

const isSame = (one: Added, made: MadeFile | undefined): boolean =>
  one.oid === made?.oid && one.mode === made.mode

async function foldersIn(
  repo: string,
  commit: Oid,
  folders: readonly GitPath[],
): Promise<GitPath[]> {
  const names = new Set(await listNames(repo, commit))
  return folders.filter((folder) => names.has(folder.slice(0, -1)))
}

/** Without what a person has put on the target: that may be in the repository. */
async function notIn(repo: string, target: Oid, some: readonly Added[]): Promise<Added[]> {
  if (some.length === 0) return []
  const there = new Map((await listTree(repo, target)).map(({ path, oid }) => [path, oid]))
  return some.filter(({ path, oid }) => there.get(path) !== oid)
}

/** @returns undefined if nothing was ever placed. */
function placedBy(
  { context, task }: Step<Configured>,
  repo: ReturnType<typeof taskRepo>,
): ((path: GitPath) => boolean) | undefined {
  if (task.strategy !== null)
    return repo.placed.length === 0 ? undefined : (path) => isPlaced(path, repo.placed)
  // We placed nothing for this work, so the configured paths count.
  const { copy, link } = context.repoConfig(repo)
  const patterns = [...copy, ...link].map((pattern) => pattern.replace(/\/+$/, ""))
  if (patterns.length === 0) return undefined
  return (path) => {
    const text = displayPath(path)
    return patterns.some((one) => matchesGlob(text, one) || matchesGlob(text, `${one}/**`))
  }
}

type Search = {
  readonly added: readonly Added[]
  readonly made: ReadonlyMap<GitPath, MadeFile>
  readonly isPlacedPath: (path: GitPath) => boolean
}

/** Placed content under another name. Content that is already in the base is not secret. */
async function findCopies(
  repo: string,
  base: Oid,
  { added, made, isPlacedPath }: Search,
): Promise<Added[]> {
  const contents = [...made].flatMap(([path, { oid }]) => (isPlacedPath(path) ? [oid] : []))
  const secrets = new Set(contents.filter((oid) => !EMPTY_BLOBS.includes(oid)))
  const found = added.filter(({ path, oid }) => secrets.has(oid) && !isPlacedPath(path))
  if (found.length === 0) return found
  const known = new Set((await listTree(repo, base)).map(({ oid }) => oid))
  return found.filter(({ oid }) => !known.has(oid))
}

const named = (some: readonly Added[]): string[] => [
  ...new Set(some.map(({ path }) => displayPath(path))),
]

/** Files listed one by one; beyond that we name their folder. */
const LISTED_MAX = 10

/** Folders without other work in them, else the files. */
function pathspecs(paths: readonly string[], others: readonly string[]): string[] {
  if (paths.length <= LISTED_MAX) return [...paths]
  return groupPaths(paths).flatMap(({ path: folder }) => {
    const isIn = (path: string) => path === folder || path.startsWith(`${folder}/`)
    return others.some(isIn) ? paths.filter(isIn) : [folder]
  })
}
