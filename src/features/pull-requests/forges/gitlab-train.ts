/**
 * GitLab's merge trains, and the one way in which a project merges.
 *
 * A system note is the only record of why a merge request left its train.
 *
 * @see https://docs.gitlab.com/api/merge_trains/
 */
import { z } from "zod"
import type { MergeMethod } from "../../../config/config.ts"
import type { Queue, QueueRemoval } from "../rules.ts"
import { type ForgeApi, oid } from "./api.ts"
import { ForgeError } from "./errors.ts"
import type { Merging } from "./forge.ts"
import { listNotes, PROJECT, type PullKey } from "./gitlab-reviews.ts"

const Project = z.object({
  merge_method: z.string(),
  squash_option: z.string().nullish(),
  merge_trains_enabled: z.boolean().nullish(),
})
const Car = z.object({
  status: z.string(),
  pipeline: z.object({ sha: oid.nullish() }).nullish(),
})

const CAR = `${PROJECT}/merge_trains/merge_requests/{iid}`
const ON_TRAIN = ["idle", "stale", "fresh", "merging"]
/** GitLab gives a reason when the train itself takes it off. A person gives none. */
const REMOVED = /^removed this merge request from the merge train(?: because (?<why>.*))?/s

export async function findTrain(api: ForgeApi, at: PullKey): Promise<Queue | undefined> {
  const { project } = at
  const { merge_trains_enabled: isEnabled } = await api.ask(`GET ${PROJECT}`, { project }, Project)
  if (isEnabled !== true) return undefined
  const car = await findCar(api, at)
  const isQueued = car !== undefined && ON_TRAIN.includes(car.status)
  const commit = isQueued ? (car.pipeline?.sha ?? null) : null
  return { isQueued, commit, removal: await findRemoval(api, at) }
}

async function findCar(api: ForgeApi, at: PullKey): Promise<z.infer<typeof Car> | undefined> {
  try {
    return await api.ask(`GET ${CAR}`, at, Car)
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return undefined
    throw error
  }
}

async function findRemoval(api: ForgeApi, at: PullKey): Promise<QueueRemoval | null> {
  const notes = await listNotes(api, at)
  const note = notes.findLast(({ system, body }) => system && REMOVED.test(body))
  if (note === undefined) return null
  const why = REMOVED.exec(note.body)?.groups?.["why"]
  return {
    id: String(note.id),
    reason: why ?? "GitLab gives no reason",
    isByPerson: why === undefined,
  }
}

/** Adds the merge request to the train. */
export async function board(api: ForgeApi, at: PullKey, { method, head }: Merging): Promise<void> {
  await requireMethod(api, at.project, method)
  const asked = { ...at, sha: head, squash: method === "squash" }
  await api.ask(`POST ${CAR}`, asked, z.unknown())
}

/** Each GitLab project has one merge method. A request can only add a squash. @throws {ForgeError} */
export async function requireMethod(
  api: ForgeApi,
  project: string,
  method: MergeMethod,
): Promise<void> {
  if (method === "squash") return
  const found = await api.ask(`GET ${PROJECT}`, { project }, Project)
  const { merge_method: mergeMethod, squash_option: squash } = found
  if ((mergeMethod === "ff") !== (method === "rebase"))
    throw new ForgeError(
      "forge.refused",
      `${project} merges by \`${mergeMethod}\`, and \`auto_merge\` asks for \`${method}\``,
    )
  if (squash === "always")
    throw new ForgeError(
      "forge.refused",
      `${project} always squashes, and \`auto_merge\` asks for \`${method}\``,
    )
}
