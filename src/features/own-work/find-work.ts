/** Finds the work that a reference names: a branch, or a worktree. */
import { existsSync } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { resolve } from "node:path"
import type { WorkToLand } from "../../api/wire/landings.ts"
import { branchOf, branchRef, type Oid } from "../../base/ids.ts"
import { closest } from "../../base/text/suggest.ts"
import type { RepoConfig } from "../../config/config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { listRefs } from "../../kernel/git/ask/list-refs.ts"
import { findOperation, givesUp } from "../../kernel/git/ask/operation-in-progress.ts"
import { findRepository } from "../../kernel/git/ask/repository.ts"
import { listWorktrees, type Worktree } from "../../kernel/git/ask/worktree-list.ts"
import type { Home } from "../../kernel/home.ts"

export type FoundWork = {
  readonly repo: RepoConfig
  /** Main worktree, or bare directory; real path. */
  readonly root: string
  /** Branch name; null for a worktree with a detached HEAD. */
  readonly branch: string | null
  /** As it was given; null for a branch. */
  readonly worktree: string | null
  readonly head: Oid
}

export type Place = { readonly repo: RepoConfig; readonly root: string }

/** Whether a reference is written as a path. */
export const isPath = (ref: string): boolean => /^\.{0,2}\//.test(ref) || /^\.\.?$/.test(ref)

/**
 * A branch is preferred to a path of the same name; the repository around `cwd` to the others.
 *
 * @returns undefined if there is neither.
 * @throws {DaemonError} `work.ambiguous`, `work.refused` (user).
 */
export async function findWork(
  fleet: Home,
  { ref, cwd }: Pick<WorkToLand, "ref" | "cwd">,
): Promise<FoundWork | undefined> {
  const places = await listPlaces(fleet)
  const branch = isPath(ref) ? undefined : await findBranch(places, { ref, cwd })
  return branch ?? (await findWorktree(places, resolve(cwd, ref)))
}

/** @throws {DaemonError} `work.not_found` (user), with a suggestion. */
export async function workNotFound(fleet: Home, ref: string): Promise<DaemonError> {
  const refs = (await listPlaces(fleet)).map(({ root }) => listRefs(root, "refs/heads/"))
  const branches = (await Promise.all(refs)).flat().map((one) => branchOf(one.ref))
  const meant = closest(ref, branches)
  const what = isPath(ref) ? `no worktree at \`${ref}\`` : `no task, branch or worktree \`${ref}\``
  return new DaemonError("work.not_found", `There is ${what}.`, [
    ...(meant ? [`Did you mean \`${meant}\`?`] : []),
    "`coppice ls` lists the tasks, `git branch` the branches, `git worktree list` the worktrees.",
  ])
}

export async function listPlaces({
  home,
  checkedConfig,
}: Pick<Home, "home" | "checkedConfig">): Promise<Place[]> {
  const found = checkedConfig().repos.map(async (repo) => {
    const path = resolve(home, repo.path)
    const repository = existsSync(path) ? await findRepository(path) : undefined
    return repository ? [{ repo, root: repository.root }] : []
  })
  return (await Promise.all(found)).flat()
}

async function findBranch(
  places: readonly Place[],
  { ref, cwd }: Pick<WorkToLand, "ref" | "cwd">,
): Promise<FoundWork | undefined> {
  const having = await Promise.all(
    places.map(async (place) => {
      const refs = await listRefs(place.root, branchRef(ref))
      const head = refs.find((one) => one.ref === branchRef(ref))?.oid
      return head ? [{ ...place, branch: ref, worktree: null, head }] : []
    }),
  )
  const found = having.flat()
  const here = existsSync(cwd) ? (await findRepository(cwd))?.root : undefined
  const [first, second] = found.filter(({ root }) => root === here)
  if (first && !second) return first
  if (found.length < 2) return found[0]
  const names = found.map(({ repo }) => repo.name).join(", ")
  throw new DaemonError("work.ambiguous", `${ref} is a branch of several repositories: ${names}.`, [
    "Run the command in the one that you mean, or name a worktree by its path.",
  ])
}

async function findWorktree(
  places: readonly Place[],
  path: string,
): Promise<FoundWork | undefined> {
  if (!existsSync(path)) return undefined
  const real = await realpath(path)
  if (!(await stat(real)).isDirectory()) return undefined
  const repository = await findRepository(real)
  if (!repository) return undefined
  const place = places.find(({ root }) => root === repository.root)
  if (!place)
    throw new DaemonError(
      "work.refused",
      `${real} belongs to ${repository.root}, which is not a repository of this home.`,
      ["Run the command in that repository, or list it in coppice.yml under `repos`."],
    )
  const around = (await listWorktrees(repository.root))
    .filter((one) => real === one.path || real.startsWith(`${one.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return around && (await workIn(place, around))
}

async function workIn(place: Place, { path, branch, head, bare }: Worktree): Promise<FoundWork> {
  const operation = bare ? undefined : await findOperation(path)
  if (operation)
    throw new DaemonError("work.refused", `A ${operation} is in progress in ${path}.`, [
      `Finish it first, or give it up: \`${givesUp(operation)}\`.`,
    ])
  if (!head) throw new DaemonError("work.refused", `${path} has no commits.`)
  return { ...place, branch: branch ? branchOf(branch) : null, worktree: path, head }
}
