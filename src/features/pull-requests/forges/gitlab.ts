/**
 * GitLab, by its REST API: its merge requests are our pull requests.
 *
 * @see https://docs.gitlab.com/api/merge_requests/
 */
import { z } from "zod"
import type { RefName } from "../../../base/ids.ts"
import { gitLabClient } from "../../rest/gitlab.ts"
import { withoutQuickActions } from "../../rest/quick-actions.ts"
import type { Check, Pull } from "../rules.ts"
import { ForgeApi, type ForgeOptions, KEPT_MAX, oid, openOrFind, refusalOf } from "./api.ts"
import { ForgeError } from "./errors.ts"
import type { Decoration, Forge, Merging, PullToOpen } from "./forge.ts"
import {
  listComments,
  listGitLabReviews,
  PROJECT,
  PULL,
  type PullKey,
  User,
} from "./gitlab-reviews.ts"
import { board, findTrain, requireMethod } from "./gitlab-train.ts"

const LOGIN_HINT =
  "`glab auth login` makes one; or set GITLAB_TOKEN, or `repos.<name>.forge.token_variable`, and start the daemon again."

const nullable = z.string().nullish()

const PullAnswer = z.object({
  iid: z.int(),
  web_url: z.string(),
  state: z.string(),
  sha: oid,
  merge_commit_sha: oid.nullish(),
  squash_commit_sha: oid.nullish(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  source_branch: z.string(),
  target_branch: z.string(),
  reviewers: z.array(User).nullish(),
})

const Merged = z.object({ state: z.string(), merge_error: nullable })
const Status = z.object({
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  description: nullable,
  target_url: nullable,
})

const PASSED = ["success", "skipped"]
const FAILED = ["failed", "canceled"]
/** In these states, a job that is allowed to fail does not hold up its pipeline. */
const SETTLED = [...FAILED, "manual"]

const PULLS = `${PROJECT}/merge_requests`

export function gitlabForge({ project, ...options }: ForgeOptions): Forge {
  const { host } = new URL(options.api)
  const client = gitLabClient({ ...options, keptMax: KEPT_MAX })
  const api = new ForgeApi({ name: "GitLab", host, loginHint: LOGIN_HINT, client })
  const at = (iid: number): PullKey => ({ project, iid })
  const findOpen = async ({ branch, target }: Pick<PullToOpen, "branch" | "target">) => {
    const branches = { source_branch: branch, target_branch: target }
    const found = await api.list(
      `GET ${PULLS}`,
      { project, state: "opened", ...branches },
      PullAnswer,
    )
    // A fork may have a branch of the same name.
    const own = found.find((one) => one.source_project_id === one.target_project_id)
    return own && pullOf(own)
  }
  return {
    place: `${project} on ${host}`,
    findOpen,
    open: async (asked) => {
      const { branch, target, isDraft } = asked
      const title = withoutQuickActions(asked.title)
      const opening = {
        project,
        source_branch: branch,
        target_branch: target,
        title: isDraft ? `Draft: ${title}` : title,
        description: withoutQuickActions(asked.body),
        remove_source_branch: false,
      }
      return openOrFind(
        async () => pullOf(await api.ask(`POST ${PULLS}`, opening, PullAnswer)),
        () => findOpen(asked),
      )
    },
    decorate: (number, decoration) => decorate(api, at(number), decoration),
    read: async (number) => pullOf(await api.ask(`GET ${PULL}`, at(number), PullAnswer)),
    headRef: (iid) => `refs/merge-requests/${iid}/head` as RefName,
    retarget: async (number, target) => {
      await api.ask(`PUT ${PULL}`, { ...at(number), target_branch: target }, z.unknown())
    },
    listPullReviews: (number) => listGitLabReviews(api, at(number)),
    listComments: (number, review) => listComments(api, at(number), review),
    listChecks: async (commit) => {
      const statuses = `GET ${PROJECT}/repository/commits/{commit}/statuses`
      return (await api.list(statuses, { project, commit }, Status)).map(checkOf)
    },
    merge: (number, merging) => refusalOf(merge(api, at(number), merging)),
    findQueue: (number) => findTrain(api, at(number)),
    enqueue: (number, merging) => refusalOf(board(api, at(number), merging)),
  }
}

function pullOf(found: z.infer<typeof PullAnswer>): Pull {
  const { state } = found
  const isMerged = state === "merged"
  return {
    number: found.iid,
    url: found.web_url,
    // `locked`: it is being merged.
    state: isMerged ? "merged" : state === "closed" ? "closed" : "open",
    head: found.sha,
    branch: found.source_project_id === found.target_project_id ? found.source_branch : null,
    target: found.target_branch,
    merge: isMerged ? (found.merge_commit_sha ?? found.squash_commit_sha ?? null) : null,
    isHeld: (found.reviewers ?? []).length > 0,
  }
}

async function decorate(
  api: ForgeApi,
  at: PullKey,
  { labels, reviewers }: Decoration,
): Promise<void> {
  if (labels.length > 0)
    await api.ask(`PUT ${PULL}`, { ...at, add_labels: labels.join(",") }, z.unknown())
  if (reviewers.length === 0) return
  // The list that is sent replaces the one that is there.
  const { reviewers: present } = await api.ask(`GET ${PULL}`, at, PullAnswer)
  const ids = new Set((present ?? []).map(({ id }) => id))
  for (const username of reviewers) ids.add(await findUser(api, username))
  await api.ask(`PUT ${PULL}`, { ...at, reviewer_ids: [...ids] }, z.unknown())
}

async function findUser(api: ForgeApi, username: string): Promise<number> {
  const [found] = await api.list("GET /users", { username }, User)
  if (found) return found.id
  throw new ForgeError("forge.refused", `there is no user ${username} to ask for a review`)
}

function checkOf(found: z.infer<typeof Status>): Check {
  const { name, status, allow_failure: isOptional, description, target_url: url } = found
  const isFailed = FAILED.includes(status)
  const isPassed = PASSED.includes(status) || (isOptional === true && SETTLED.includes(status))
  const state = isPassed ? "passed" : isFailed ? "failed" : "pending"
  return { name, state, text: description ?? "", url: url ?? null }
}

async function merge(api: ForgeApi, at: PullKey, { method, head }: Merging): Promise<void> {
  const { project } = at
  await requireMethod(api, project, method)
  const asked = {
    ...at,
    sha: head,
    squash: method === "squash",
    should_remove_source_branch: false,
  }
  const { state, merge_error: why } = await api.ask(`PUT ${PULL}/merge`, asked, Merged)
  if (state !== "merged" && state !== "locked")
    throw new ForgeError("forge.refused", `${project} did not merge it: ${why || `it is ${state}`}`)
}
