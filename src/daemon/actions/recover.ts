/** Lists what was rescued in the home's repositories, and makes a branch of one rescue. */
import { resolve } from "node:path"
import type { RescueDocument, RestoredDocument, ToRestore } from "../../core/documents.ts"
import { RefBusyError } from "../../workspaces/errors.ts"
import { type FoundRescue, listRescues } from "../../workspaces/rescue/list.ts"
import { restoreRescue } from "../../workspaces/rescue/restore.ts"
import { iso } from "../documents.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { listRepositories } from "../repositories.ts"

/** Of every repository, newest first. */
export async function rescueDocuments(fleet: Fleet): Promise<RescueDocument[]> {
  return (await listFound(fleet)).map(({ repo, n: _, atMs, files, ...rescue }) => ({
    ...rescue,
    repo,
    at: iso(atMs),
    files: [...files],
    commits: [...rescue.commits],
  }))
}

/** @throws {DaemonError} `rescue.not_found`, `rescue.ambiguous`, `branch.refused` (user). */
export async function restore(fleet: Fleet, wanted: ToRestore): Promise<RestoredDocument> {
  const { repo, ref, commit, task, n, staged, filesInAll } = await findRescue(fleet, wanted)
  const branch = wanted.branch ?? `recovered/${task}-${n.replaceAll("/", "-")}`
  const restored = await restoreRescue(repo, { branch, commit, ref })
  if (restored.kind === "locked") throw new RefBusyError(`refs/heads/${branch}`)
  if (restored.kind === "refused")
    throw new DaemonError(
      "branch.refused",
      `The branch ${branch} cannot be made: ${restored.reason}.`,
      ["`--branch <name>` takes another name."],
    )
  const look = [
    `git log --oneline ${branch}`,
    ...(filesInAll > 0 ? [`git diff ${branch}^ ${branch}`] : []),
    ...(staged ? [`git diff ${branch}^ ${branch}^2`] : []),
  ]
  return { ref, repo, commit, branch, look }
}

type RescueIn = FoundRescue & { readonly repo: string }

async function listFound(fleet: Fleet): Promise<RescueIn[]> {
  const repos = await listRepositories(fleet)
  const found = await Promise.all(
    repos.map(async (repo) => (await listRescues(repo)).map((rescue) => ({ ...rescue, repo }))),
  )
  return found.flat().sort((a, b) => b.atMs - a.atMs)
}

async function findRescue(fleet: Fleet, { ref, repo }: ToRestore): Promise<RescueIn> {
  const all = await listFound(fleet)
  const meant = all.filter(
    (rescue) =>
      (rescue.ref === ref || rescue.ref.endsWith(`/${ref}`)) &&
      (repo === undefined || rescue.repo === resolve(fleet.home, repo)),
  )
  const [found, other] = meant
  if (found && !other) return found
  if (!found)
    throw new DaemonError("rescue.not_found", `There is no rescue \`${ref}\`.`, [
      "`coppice recover` lists them.",
    ])
  const named = meant.map((rescue) => `${rescue.ref} in ${rescue.repo}`).join(", ")
  throw new DaemonError("rescue.ambiguous", `\`${ref}\` may mean ${named}.`, [
    "Say more of the ref, or `--repo <path>`.",
  ])
}
