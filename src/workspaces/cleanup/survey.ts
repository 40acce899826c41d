/**
 * Finds the worktrees of a repository that this home has made, whoever has them now.
 *
 * Ours is what the ownership file names as ours, what has the name of a disposable worktree of ours,
 * and what a killed set-up left empty at a place where only set-ups put something. Everything else is
 * a person's or another home's, and is not even listed.
 */
import { existsSync, statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { branchOf, type Oid, type TaskId } from "../../core/ids.ts"
import { listWorktrees, type Worktree } from "../../git/worktrees/worktree-list.ts"
import { taskOfDisposable } from "../git-worktree/disposable.ts"
import { readOwner } from "../git-worktree/ownership.ts"

export type SurveyedWorktree = {
  /** Main worktree, or bare directory. */
  readonly repo: string
  readonly path: string
  readonly gitDir: string
  readonly head: Oid | undefined
  /** What is checked out; undefined when detached. */
  readonly branch: string | undefined
  /** The branch that we made for it. */
  readonly ownBranch: string | undefined
  /** That it was made for. */
  readonly task: TaskId
  readonly kind: "task" | "disposable" | "half_made"
  readonly folder: "there" | "gone" | "unmounted"
}

export type SurveyRequest = {
  /** Names the home. */
  readonly home: string
  readonly repo: string
  /** Where its set-ups put worktrees; absolute. */
  readonly folders: readonly string[]
  readonly nowMs: number
}

/** A git that somebody else started may take a while to fill what it has added. */
const HALF_MADE_MS_MIN = 60 * 60_000
/** As of slug.ts. */
const TASK_NAME = /^(\d+)(-|$)/

export async function surveyWorktrees(request: SurveyRequest): Promise<SurveyedWorktree[]> {
  const [, ...linked] = await listWorktrees(request.repo)
  const found: SurveyedWorktree[] = []
  for (const worktree of linked) {
    const { gitDir, path, head, branch } = worktree
    if (gitDir === undefined) continue // somebody is removing it
    const ours = await recognise(request, worktree, gitDir)
    if (!ours) continue
    const place = { repo: request.repo, path, gitDir, head, folder: folderOf(path) }
    found.push({ ...place, branch: branch && branchOf(branch), ...ours })
  }
  return found
}

type Recognised = Pick<SurveyedWorktree, "kind" | "task" | "ownBranch">

async function recognise(
  request: SurveyRequest,
  worktree: Worktree,
  gitDir: string,
): Promise<Recognised | undefined> {
  const { home, repo } = request
  const disposableOf = taskOfDisposable(home, repo, basename(worktree.path))
  if (disposableOf !== undefined)
    return { kind: "disposable", task: disposableOf, ownBranch: undefined }
  const owner = readOwner(gitDir)
  if (owner && owner.home !== home) return undefined
  if (owner) {
    if (typeof owner.task !== "number") return undefined // made for no task: not ours to judge here
    return { kind: "task", task: owner.task, ownBranch: owner.branch }
  }
  if (!(await isHalfMade(request, worktree, gitDir))) return undefined
  const task = Number(TASK_NAME.exec(basename(worktree.path))?.[1]) as TaskId
  return { kind: "half_made", task, ownBranch: undefined }
}

/** Nobody has said whose it is, because the set-up was killed before: then nothing is in it yet. */
export async function isHalfMade(
  { folders, nowMs }: Pick<SurveyRequest, "folders" | "nowMs">,
  { path, locked }: Pick<Worktree, "path" | "locked">,
  gitDir: string,
): Promise<boolean> {
  if (!folders.includes(dirname(path)) || !TASK_NAME.test(basename(path))) return false
  if (locked !== undefined && locked !== "initializing") return false
  const madeAtMs = statSync(gitDir, { throwIfNoEntry: false })?.mtimeMs ?? nowMs
  if (nowMs - madeAtMs < HALF_MADE_MS_MIN || folderOf(path) === "unmounted") return false
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    return error.code === "ENOENT" ? [] : ["?"]
  })
  return names.every((name) => name === ".git") && !existsSync(`${gitDir}/index`)
}

/** Where the folder around it is missing too, a disk may be out of reach for a while. */
export function folderOf(path: string): SurveyedWorktree["folder"] {
  if (existsSync(path)) return "there"
  return existsSync(dirname(path)) ? "gone" : "unmounted"
}
