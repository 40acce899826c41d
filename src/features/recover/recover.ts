/** Lists the rescues in the home's repositories, and makes a branch of one. */
import { resolve } from "node:path"
import { iso } from "../../api/documents/row-documents.ts"
import { branchRef } from "../../base/ids.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import { listRepositories } from "../../kernel/tasks/actions/list-repositories.ts"
import { RefBusyError } from "../../kernel/workspaces/errors.ts"
import { type FoundRescue, listRescues } from "../../kernel/workspaces/rescue/list.ts"
import { restoreRescue } from "../../kernel/workspaces/rescue/restore.ts"
import { isFolderOf } from "../../kernel/workspaces/task-refs.ts"
import { listExpiring } from "../clean-up/rescue-expiry.ts"
import { RESCUE_AGE_MS_MIN } from "../clean-up/rules/rescue-expiry.ts"
import type { RescueDocument, RescuesDocument, RestoredDocument, ToRestore } from "./wire.ts"

/** The rescues of all repositories that no branch or tag has, newest first. */
export async function rescueDocuments(fleet: Home): Promise<RescueDocument[]> {
  const found = (await listFound(fleet)).filter(({ isElsewhere }) => !isElsewhere)
  const repos = [...new Set(found.map(({ repo }) => repo))]
  const expiring = await Promise.all(repos.map((repo) => listExpiring(fleet, repo)))
  const expiries = new Map(
    expiring.flatMap((ofRepo, at) => ofRepo.map(({ ref, atMs }) => [`${repos[at]}\0${ref}`, atMs])),
  )
  return found.map(({ repo, folder: _, n: __, isElsewhere: ___, atMs, files, ...rescue }) => ({
    ...rescue,
    repo,
    at: iso(atMs),
    expiresAt: expiryTime(expiries.get(`${repo}\0${rescue.ref}`)),
    files: [...files],
    commits: [...rescue.commits],
  }))
}

/** The limits for kept rescues. */
export function rescueBounds({ config }: Pick<Home, "config">): RescuesDocument["bounds"] {
  const { ageMsMax: maxAgeMs, countMax: maxCount, bytesMax: maxBytes } = config().maintenance.rescue
  return { maxAgeMs, maxCount, maxBytes, minAgeMs: RESCUE_AGE_MS_MIN }
}

const expiryTime = (atMs: number | undefined) => (atMs === undefined ? null : iso(atMs))

/** @throws {DaemonError} `rescue.not_found`, `rescue.ambiguous`, `branch.refused` (user). */
export async function restore(fleet: Home, wanted: ToRestore): Promise<RestoredDocument> {
  const { repo, ref, commit, task, n, staged, files, filesInAll } = await findRescue(fleet, wanted)
  const branch = wanted.branch ?? `recovered/${task}-${n.replaceAll("/", "-")}`
  const restored = await restoreRescue(repo, { branch, commit, ref })
  if (restored.kind === "locked") throw new RefBusyError(branchRef(branch))
  if (restored.kind === "refused")
    throw new DaemonError(
      "branch.refused",
      `The branch ${branch} cannot be made: ${restored.reason}.`,
      ["`--branch <name>` takes another name."],
    )
  const word = shellWord(branch)
  // A checkout applies filters and line-end rules; the blob has the bytes from the disk.
  const saved = files.find(({ status }) => status !== "D")
  const look = [
    `git log --oneline ${word}`,
    ...(filesInAll > 0 ? [`git diff ${word}^ ${word}`] : []),
    ...(saved ? [`git cat-file blob ${word}:${shellWord(saved.path)}`] : []),
    ...(staged ? [`git diff ${word}^ ${word}^2`] : []),
  ]
  return { ref, repo, commit, branch, look }
}

type RescueIn = FoundRescue & {
  readonly repo: string
  /** The rescue belongs to another home that also uses the repository. */
  readonly otherHome: boolean
}

async function listFound(fleet: Home): Promise<RescueIn[]> {
  const repos = await listRepositories(fleet)
  const found = await Promise.all(repos.map((repo) => listIn(fleet, repo)))
  return found.flat().sort((a, b) => b.atMs - a.atMs)
}

async function listIn({ name }: Pick<Home, "name">, repo: string): Promise<RescueIn[]> {
  const found: RescueIn[] = []
  for (const rescue of await listRescues(repo)) {
    const otherHome = !(await isFolderOf(repo, name, rescue.folder))
    found.push({ ...rescue, repo, otherHome })
  }
  return found
}

/** If several match, those of this home are preferred. */
async function findRescue(fleet: Home, { ref, repo }: ToRestore): Promise<RescueIn> {
  const all = await listFound(fleet)
  const named = all.filter(
    (rescue) =>
      (rescue.ref === ref || rescue.ref.endsWith(`/${ref}`)) &&
      (repo === undefined || rescue.repo === resolve(fleet.home, repo)),
  )
  const own = named.filter(({ otherHome }) => !otherHome)
  const meant = own.length > 0 ? own : named
  const [found, other] = meant
  if (found && !other) return found
  if (!found)
    throw new DaemonError("rescue.not_found", `There is no rescue \`${ref}\`.`, [
      "`coppice recover` lists them.",
    ])
  const names = meant.map((rescue) => `${rescue.ref} in ${rescue.repo}`).join(", ")
  throw new DaemonError("rescue.ambiguous", `\`${ref}\` may mean ${names}.`, [
    "Give more of the ref, or `--repo <path>`.",
  ])
}
