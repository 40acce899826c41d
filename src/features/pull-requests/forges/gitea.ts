/** Gitea and Forgejo, by the REST API that they share. @see https://docs.gitea.com/api/ */
import { z } from "zod"
import type { Oid, RefName } from "../../../base/ids.ts"
import { giteaClient } from "../../rest/gitea.ts"
import type { Check, Pull, PullReview, PullReviewComment } from "../rules.ts"
import { ForgeApi, type ForgeOptions, KEPT_MAX, oid, openOrFind, refusalOf } from "./api.ts"
import { ForgeError } from "./errors.ts"
import type { Decoration, Forge, Merging, PullToOpen } from "./forge.ts"

const LOGIN_HINT =
  "Make a token on its page, set GITEA_TOKEN and GITEA_HOST (FORGEJO_TOKEN and FORGEJO_HOST), or `repos.<name>.forge.token_variable`, and start the daemon again."

const nullable = z.string().nullish()
const User = z.object({ login: z.string() }).nullish()
const Branch = z.object({ ref: z.string(), repo_id: z.int().nullish() })

const PullAnswer = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged: z.boolean(),
  merge_commit_sha: oid.nullish(),
  head: Branch.extend({ sha: oid }),
  base: Branch,
  requested_reviewers: z.array(z.unknown()).nullish(),
})

const PullReviewAnswer = z.object({
  id: z.int(),
  user: User,
  state: z.string(),
  commit_id: nullable,
  body: nullable,
  official: z.boolean(),
  dismissed: z.boolean().nullish(),
})

const CommentAnswer = z.object({
  path: z.string(),
  position: z.int().nullish(),
  original_position: z.int().nullish(),
  body: z.string(),
  user: User,
  resolver: z.unknown(),
})

const Status = z.object({
  id: z.int(),
  context: z.string(),
  status: z.string(),
  description: nullable,
  target_url: nullable,
})
const Label = z.object({ id: z.int(), name: z.string() })

const VERDICTS: Readonly<Record<string, PullReview["verdict"]>> = {
  APPROVED: "approved",
  REQUEST_CHANGES: "changes_requested",
}
const PASSED = ["success", "warning", "skipped"]
const FAILED = ["error", "failure"]

const REPO = "/repos/{owner}/{repo}"
const PULLS = `${REPO}/pulls`
const PULL = `${PULLS}/{index}`
/** Servers give no more items on a page by default. */
const PAGE_SIZE = { parameter: "limit", max: 50 }
/** More comments than a person writes in one review. They come without pages. */
const COMMENTS_MAX = 1_000

type At = { readonly owner: string; readonly repo: string }
type PullAt = At & { readonly index: number }

export function giteaForge({ project, ...options }: ForgeOptions): Forge {
  const { host } = new URL(options.api)
  const client = giteaClient({ ...options, keptMax: KEPT_MAX })
  const kind = { name: "Gitea", host, loginHint: LOGIN_HINT, pageSize: PAGE_SIZE }
  const api = new ForgeApi({ ...kind, client })
  const [owner = "", repo = ""] = project.split("/")
  const at = { owner, repo }
  const one = (index: number) => ({ ...at, index })
  return {
    place: `${project} on ${host}`,
    findOpen: (asked) => findOpen(api, at, asked),
    open: async (asked) => {
      const { branch: head, target: base, title, body, isDraft } = asked
      const opening = { ...at, head, base, title: isDraft ? `WIP: ${title}` : title, body }
      return openOrFind(
        async () => pullOf(await api.ask(`POST ${PULLS}`, opening, PullAnswer)),
        () => findOpen(api, at, asked),
      )
    },
    decorate: (number, decoration) => decorate(api, one(number), decoration),
    read: async (number) => pullOf(await api.ask(`GET ${PULL}`, one(number), PullAnswer)),
    headRef: (number) => `refs/pull/${number}/head` as RefName,
    retarget: async (number, target) => {
      await api.ask(`PATCH ${PULL}`, { ...one(number), base: target }, z.unknown())
    },
    listPullReviews: async (number) =>
      (await api.list(`GET ${PULL}/reviews`, one(number), PullReviewAnswer)).map(toPullReview),
    listComments: (number, review) => listComments(api, one(number), review),
    listChecks: (commit) => listChecks(api, at, commit),
    merge: (number, merging) => refusalOf(merge(api, one(number), merging)),
    findQueue: async () => undefined,
    enqueue: async () => `${host} has no merge queue`,
  }
}

/** The list has no filter by branch. */
async function findOpen(
  api: ForgeApi,
  at: At,
  { branch, target }: Pick<PullToOpen, "branch" | "target">,
): Promise<Pull | undefined> {
  const asked = { ...at, state: "open", base_branch: target }
  const all = await api.list(`GET ${PULLS}`, asked, PullAnswer)
  // A fork may have a branch of the same name.
  const found = all.find(
    ({ head, base }) => head.ref === branch && base.ref === target && head.repo_id === base.repo_id,
  )
  return found && pullOf(found)
}

function pullOf(found: z.infer<typeof PullAnswer>): Pull {
  const { merged: isMerged, state, merge_commit_sha: merge } = found
  return {
    number: found.number,
    url: found.html_url,
    state: isMerged ? "merged" : state === "open" ? "open" : "closed",
    head: found.head.sha,
    branch: found.head.repo_id === found.base.repo_id ? found.head.ref : null,
    target: found.base.ref,
    merge: isMerged ? (merge ?? null) : null,
    isHeld: (found.requested_reviewers ?? []).length > 0,
  }
}

async function decorate(
  api: ForgeApi,
  at: PullAt,
  { labels, reviewers }: Decoration,
): Promise<void> {
  if (reviewers.length > 0)
    await api.ask(`POST ${PULL}/requested_reviewers`, { ...at, reviewers }, z.unknown())
  if (labels.length === 0) return
  const known = await listLabels(api, at)
  const missing = labels.find((label) => !known.some(({ name }) => name === label))
  if (missing !== undefined)
    throw new ForgeError("forge.refused", `${at.owner}/${at.repo} has no label ${missing}`)
  const ids = known.filter(({ name }) => labels.includes(name)).map(({ id }) => id)
  await api.ask(`POST ${REPO}/issues/{index}/labels`, { ...at, labels: ids }, z.unknown())
}

/** The labels of the repository, and those of the organization that owns it. */
async function listLabels(api: ForgeApi, { owner, repo }: At) {
  const own = await api.list(`GET ${REPO}/labels`, { owner, repo }, Label)
  try {
    return [...own, ...(await api.list("GET /orgs/{owner}/labels", { owner }, Label))]
  } catch (error) {
    // The owner is no organization, or the token's scope leaves it out.
    if (error instanceof ForgeError && [403, 404].includes(error.status ?? 0)) return own
    throw error
  }
}

/**
 * `official`: the reviewer may approve for this target. A later verdict of the same reviewer takes it from
 * the earlier one, so that an old verdict counts no more even if the later one is dismissed.
 */
function toPullReview(found: z.infer<typeof PullReviewAnswer>): PullReview {
  return {
    id: found.id,
    author: found.user?.login ?? "ghost",
    isTrusted: found.official,
    verdict: found.dismissed === true ? "none" : (VERDICTS[found.state] ?? "none"),
    commit: (found.commit_id || null) as Oid | null,
    text: found.body ?? "",
  }
}

/** Replies belong to the review too, and any user can reply: only its author's comments count. */
async function listComments(
  api: ForgeApi,
  at: PullAt,
  review: number,
): Promise<readonly PullReviewComment[]> {
  const asked = { ...at, review }
  const { user } = await api.ask(`GET ${PULL}/reviews/{review}`, asked, PullReviewAnswer)
  const comments = z.array(CommentAnswer).max(COMMENTS_MAX)
  const all = await api.ask(`GET ${PULL}/reviews/{review}/comments`, asked, comments)
  const own = all.filter((one) => one.user && one.user.login === user?.login && !one.resolver)
  return own.map(({ path, position, original_position: original, body: text }) => {
    return { path, line: position || original || null, text }
  })
}

/** Gitea keeps every status that a check has had: the latest counts. */
async function listChecks(api: ForgeApi, at: At, commit: Oid): Promise<readonly Check[]> {
  const latest = new Map<string, z.infer<typeof Status>>()
  const all = await api.list(`GET ${REPO}/statuses/{commit}`, { ...at, commit }, Status)
  for (const status of all.toSorted((one, two) => one.id - two.id))
    latest.set(status.context, status)
  return [...latest.values()].map(checkOf)
}

function checkOf(found: z.infer<typeof Status>): Check {
  const { context: name, status, description, target_url: url } = found
  const ended = PASSED.includes(status) ? "passed" : "failed"
  const state = [...PASSED, ...FAILED].includes(status) ? ended : "pending"
  return { name, state, text: description ?? "", url: url ?? null }
}

/**
 * Merges now, or not at all: with `merge_when_checks_succeed` Gitea would also merge a commit that is
 * pushed later, which has no approval.
 */
async function merge(api: ForgeApi, at: PullAt, { method, head }: Merging): Promise<void> {
  const asked = {
    ...at,
    Do: method,
    head_commit_id: head,
    merge_when_checks_succeed: false,
    delete_branch_after_merge: false,
  }
  await api.ask(`POST ${PULL}/merge`, asked, z.unknown())
}
