/** Pull requests of Gitea, and statuses of commits. */
import type { CommitStatus, PullRequest } from "gitea-js"
import type { Reply } from "../api-server.ts"
import type { CheckRunState, MergeMethod, PullState } from "../forge/pulls.ts"
import { type GiteaCall, type GiteaRoute, MISSING, REPO, userDocument } from "./route.ts"

export type GiteaComment = {
  readonly author: string
  readonly path: string
  /** Negative: of the old file. */
  readonly line: number
  readonly body: string
  readonly isResolved?: boolean
}

export type GiteaReview = {
  readonly id: number
  readonly author: string
  readonly state: "APPROVED" | "REQUEST_CHANGES" | "COMMENT" | "PENDING"
  readonly commit: string
  readonly body: string
  official: boolean
  dismissed: boolean
  readonly comments: GiteaComment[]
}

/** Gitea's records of pull requests, apart from the branches. */
export class GiteaPulls {
  readonly #reviews = new Map<number, GiteaReview[]>()
  readonly #labels = new Map<number, Set<string>>()
  /** The ways of merging that the repository allows. */
  readonly methods = new Set<MergeMethod>(["merge", "squash", "rebase"])
  lastReview = 100

  reviewsOf({ number }: PullState): GiteaReview[] {
    return kept(this.#reviews, number, () => [])
  }

  labelsOf({ number }: PullState): Set<string> {
    return kept(this.#labels, number, () => new Set<string>())
  }
}

function kept<Value>(map: Map<number, Value>, key: number, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

const refusal = (status: number, message: string): Reply => ({ status, body: { message } })

function pullDocument({ state }: GiteaCall, pull: PullState): PullRequest {
  const { pulls, gitea } = state
  const isMerged = pull.merge !== null
  const hasBranch = pulls.tip(pull.head) !== ""
  const document: PullRequest = {
    id: 7000 + pull.number,
    number: pull.number,
    user: userDocument("robot"),
    requested_reviewers: pull.reviewers.map(userDocument),
    mergeable: pull.state === "open",
    title: pull.title,
    body: pull.body,
    html_url: `https://gitea.example/acme/app/pulls/${pull.number}`,
    state: pull.state,
    draft: pull.isDraft,
    merged: isMerged,
    labels: [...gitea.labelsOf(pull)].map((name) => ({ name })),
    head: {
      label: pull.head,
      ref: hasBranch ? pull.head : `refs/pull/${pull.number}/head`,
      sha: pulls.headOf(pull),
      repo_id: pull.isFork === true ? 2 : 1,
    },
    base: { label: pull.base, ref: pull.base, sha: pulls.tip(pull.base), repo_id: 1 },
  }
  // Gitea's types do not say so, but it sends null before the merge.
  return Object.assign(document, { merge_commit_sha: pull.merge })
}

function list(call: GiteaCall): Reply {
  const wanted = call.query.get("state") ?? "open"
  const found = call.state.pulls.all.filter((pull) => [pull.state, "all"].includes(wanted))
  return { status: 200, body: found.map((pull) => pullDocument(call, pull)) }
}

const isDraft = (title: unknown) => /^(wip:|\[wip\])/i.test(String(title))
const listOf = (value: unknown) => (value ?? []) as readonly unknown[]

function open(call: GiteaCall): Reply {
  const { body, state } = call
  const [head, base, title] = ["head", "base", "title"].map((key) => String(body[key]))
  const { pulls } = state
  const known = pulls.all.find(
    (pull) => pull.state === "open" && pull.head === head && pull.base === base && !pull.isFork,
  )
  if (known) return refusal(409, `pull request already exists for these targets [id: 1]`)
  if (head === undefined || base === undefined || !pulls.tip(head)) return MISSING
  const made = pulls.open({
    number: pulls.all.length + 1,
    head,
    base,
    title: title ?? "",
    body: String(body["body"] ?? ""),
    isDraft: isDraft(title),
  })
  for (const id of listOf(body["labels"])) {
    const name = state.labels.nameOf(id)
    if (name !== undefined) state.gitea.labelsOf(made).add(name)
  }
  return { status: 201, body: pullDocument(call, made) }
}

/** Answers about one pull request; 404 if there is none. */
export const about =
  (answer: (call: GiteaCall, pull: PullState) => Reply) =>
  (call: GiteaCall): Reply => {
    const pull = call.state.pulls.find(call.params["index"] ?? "")
    return pull ? answer(call, pull) : MISSING
  }

const isMethod = (text: string): text is MergeMethod => /^(merge|squash|rebase)$/.test(text)

const merge = about(({ body, state }, pull) => {
  const { pulls, gitea } = state
  const method = String(body["Do"])
  if (pull.state !== "open") return MISSING
  if (pull.isDraft) return refusal(405, "Work in progress PRs cannot be merged")
  if (!isMethod(method) || !gitea.methods.has(method)) return refusal(405, "Invalid merge style")
  const isApproved = gitea.reviewsOf(pull).some((one) => one.official && one.state === "APPROVED")
  if (pulls.isProtected && !isApproved) return refusal(405, "Does not have enough approvals")
  // Gitea forgets the commit then: it merges what is there when the checks succeed.
  if (body["merge_when_checks_succeed"] === true) return { status: 201 }
  if (body["head_commit_id"] && body["head_commit_id"] !== pulls.headOf(pull))
    return refusal(409, "head out of date")
  pulls.merge(pull, method)
  if (body["delete_branch_after_merge"] === true)
    pulls.git("update-ref", "-d", `refs/heads/${pull.head}`)
  return { status: 200 }
})

const change = about((call, pull) => {
  const { base, title, body, state } = call.body
  const refused = base === undefined ? undefined : call.state.pulls.retarget(pull, String(base))
  if (refused !== undefined) return refusal(422, refused)
  if (title !== undefined) Object.assign(pull, { title: String(title), isDraft: isDraft(title) })
  if (body !== undefined) pull.body = String(body)
  if (state === "closed") pull.state = "closed"
  return { status: 201, body: pullDocument(call, pull) }
})

const askReviewers = about(({ body, state }, pull) => {
  const asked = body["reviewers"] as readonly string[]
  if (asked.some((login) => !state.members.has(login))) return refusal(404, "user does not exist")
  pull.reviewers = [...new Set([...pull.reviewers, ...asked])]
  return { status: 201, body: [] }
})

const wordOf = ({ conclusion, gitea }: CheckRunState) => gitea ?? conclusion ?? "pending"

const statusDocument = (run: CheckRunState, id: number): CommitStatus => ({
  id,
  context: run.name,
  status: wordOf(run),
  description: run.summary,
  target_url: "",
  creator: userDocument("robot"),
})

/** The newest first: Gitea's default. */
function listStatuses({ params, state }: GiteaCall): Reply {
  const body = state.pulls.runs.flatMap((run, id) =>
    run.commit === params["commit"] ? [statusDocument(run, id)] : [],
  )
  return { status: 200, body: body.reverse() }
}

/** Gitea keeps the earlier statuses of a name. */
function addStatus({ body, params, state }: GiteaCall): Reply {
  const { context = "default", description = "", state: gitea } = body
  const { commit = "" } = params
  const words = { name: String(context), summary: String(description), gitea: String(gitea) }
  const run: CheckRunState = { commit, conclusion: null, ...words }
  state.pulls.runs.push(run)
  return { status: 201, body: statusDocument(run, state.pulls.runs.length - 1) }
}

const PULLS = `${REPO}/pulls`
const PULL = `${PULLS}/:index`

export const GITEA_PULL_ROUTES: readonly GiteaRoute[] = [
  { method: "GET", path: PULLS, answer: list },
  { method: "POST", path: PULLS, answer: open },
  {
    method: "GET",
    path: PULL,
    answer: about((call, pull) => ({ status: 200, body: pullDocument(call, pull) })),
  },
  { method: "PATCH", path: PULL, answer: change },
  { method: "POST", path: `${PULL}/merge`, answer: merge },
  { method: "POST", path: `${PULL}/requested_reviewers`, answer: askReviewers },
  { method: "GET", path: `${REPO}/statuses/:commit`, answer: listStatuses },
  { method: "POST", path: `${REPO}/statuses/:commit`, answer: addStatus },
]
