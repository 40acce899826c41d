/** Merge requests of a GitLab project, and its merge train. */
import type { Reply } from "../api-server.ts"
import type { MergeMethod, PullState } from "../forge/pulls.ts"
import { type GitLabNote, words } from "./issues.ts"
import {
  type GitLabCall,
  type GitLabRoute,
  type GitLabState,
  MISSING,
  PROJECT,
  userDocument,
} from "./route.ts"

export type PullNote = GitLabNote & {
  readonly path?: string
  readonly line?: number
  resolved?: boolean
}

/** GitLab's records of a merge request, apart from the branches. */
export class GitLabPull {
  readonly notes: PullNote[] = []
  readonly versions: { readonly head: string; readonly atMs: number }[] = []
  readonly approvedBy = new Set<string>()
  labels: string[] = []
}

export class GitLabPulls {
  readonly #kept = new Map<PullState, GitLabPull>()
  /** How the project merges. */
  mergeMethod: "merge" | "rebase_merge" | "ff" = "merge"
  #lastNote = 5000
  readonly #nowMs: () => number
  /** No two events have the same time. */
  #lastMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  of(pull: PullState): GitLabPull {
    const kept = this.#kept.get(pull) ?? new GitLabPull()
    this.#kept.set(pull, kept)
    return kept
  }

  tick(): number {
    this.#lastMs = Math.max(this.#nowMs(), this.#lastMs + 1)
    return this.#lastMs
  }

  note(pull: PullState, note: Pick<PullNote, "author" | "body"> & Partial<PullNote>): PullNote {
    const facts = { id: ++this.#lastNote, createdAtMs: this.tick(), system: false }
    const made = Object.assign(facts, note)
    this.of(pull).notes.push(made)
    return made
  }
}

/** GitLab sees a push some time after it. */
export function see({ pulls, merges }: GitLabState, pull: PullState): void {
  const { versions } = merges.of(pull)
  const head = pulls.headOf(pull)
  if (versions.at(-1)?.head !== head) versions.push({ head, atMs: merges.tick() })
}

export const refusal = (status: number, ...message: readonly string[]): Reply => ({
  status,
  body: { message },
})

function pullDocument({ state }: GitLabCall, pull: PullState): object {
  const { number: iid, title, head, base } = pull
  const isMerged = pull.merge !== null
  const [first = "", second] = pull.merge === null ? [] : state.pulls.parents(pull.merge)
  const isSquash = isMerged && second === undefined && first !== ""
  return {
    id: 7000 + iid,
    iid,
    project_id: 1,
    title,
    description: pull.body,
    draft: pull.isDraft,
    author: userDocument("robot"),
    web_url: `https://gitlab.example/acme/app/-/merge_requests/${iid}`,
    state: isMerged ? "merged" : pull.state === "open" ? "opened" : "closed",
    sha: state.pulls.headOf(pull),
    source_branch: head,
    target_branch: base,
    source_project_id: pull.isFork === true ? 2 : 1,
    target_project_id: 1,
    merge_commit_sha: isMerged && !isSquash ? pull.merge : null,
    squash_commit_sha: isSquash ? pull.merge : null,
    labels: state.merges.of(pull).labels,
    reviewers: pull.reviewers.map(userDocument),
  }
}

function list(call: GitLabCall): Reply {
  const { query, state } = call
  const found = state.pulls.all
    .filter((pull) => query.get("state") !== "opened" || pull.state === "open")
    .filter((pull) => [null, pull.head].includes(query.get("source_branch")))
    .filter((pull) => [null, pull.base].includes(query.get("target_branch")))
  return { status: 200, body: found.map((pull) => pullDocument(call, pull)) }
}

const isDraft = (title: unknown) => /^draft:/i.test(String(title))

function open(call: GitLabCall): Reply {
  const { body, state } = call
  const [head, base] = [String(body["source_branch"]), String(body["target_branch"])]
  const { pulls } = state
  const known = pulls.all.find(
    (pull) => pull.state === "open" && pull.head === head && pull.base === base && !pull.isFork,
  )
  if (known)
    return refusal(
      409,
      `Another open merge request already exists for this source branch: !${known.number}`,
    )
  if (!pulls.tip(head)) return refusal(400, `Source branch "${head}" does not exist`)
  const description = String(body["description"] ?? "")
  const made = pulls.open({
    number: pulls.all.length + 1,
    head,
    // Of GitLab's quick actions the double knows this one.
    base: /^ *\/target_branch +(\S+)/m.exec(description.replaceAll("\r", ""))?.[1] ?? base,
    title: String(body["title"]),
    body: description,
    isDraft: isDraft(body["title"]),
  })
  see(state, made)
  relabel(state, made, body)
  askReviewers(state, made, body)
  return { status: 201, body: pullDocument(call, made) }
}

/** Answers about one merge request; 404 if there is none. */
export const about =
  (answer: (call: GitLabCall, pull: PullState) => Reply | undefined) =>
  (call: GitLabCall): Reply => {
    const pull = call.state.pulls.find(call.params["iid"] ?? "")
    if (!pull) return MISSING
    if (pull.state === "open") see(call.state, pull)
    return answer(call, pull) ?? { status: 200, body: pullDocument(call, pull) }
  }

const change = about(({ body, state }, pull) => {
  relabel(state, pull, body)
  if (body["title"] !== undefined)
    Object.assign(pull, { title: String(body["title"]), isDraft: isDraft(body["title"]) })
  if (body["state_event"] === "close") pull.state = "closed"
  if (body["description"] !== undefined) pull.body = String(body["description"])
  const base = body["target_branch"]
  const refused = base === undefined ? undefined : state.pulls.retarget(pull, String(base))
  if (refused !== undefined) return refusal(409, refused)
  askReviewers(state, pull, body)
  return undefined
})

type Body = GitLabCall["body"]

function relabel({ merges }: GitLabState, pull: PullState, body: Body): void {
  const kept = merges.of(pull)
  const base = body["labels"] === undefined ? kept.labels : words(body["labels"])
  const removed = words(body["remove_labels"])
  const labels = new Set([...base, ...words(body["add_labels"])])
  kept.labels = [...labels].filter((label) => !removed.includes(label))
}

function askReviewers({ members }: GitLabState, pull: PullState, body: Body): void {
  const ids = body["reviewer_ids"] as readonly number[] | undefined
  const people = [...members].map(userDocument)
  if (ids) pull.reviewers = people.filter(({ id }) => ids.includes(id)).map((one) => one.username)
}

const merge = about(({ body, state }, pull) => {
  const { pulls, merges } = state
  if (pull.state !== "open" || pull.isDraft) return refusal(405, "405 Method Not Allowed")
  if (body["sha"] !== undefined && body["sha"] !== pulls.headOf(pull))
    return refusal(409, "SHA does not match HEAD of source branch")
  if (pulls.isProtected && merges.of(pull).approvedBy.size === 0)
    return refusal(405, "405 Method Not Allowed")
  const own: MergeMethod = merges.mergeMethod === "ff" ? "rebase" : "merge"
  pulls.merge(pull, body["squash"] === true ? "squash" : own)
  if (body["should_remove_source_branch"] === true)
    pulls.git("update-ref", "-d", `refs/heads/${pull.head}`)
  return undefined
})

function findUsers({ query, state }: GitLabCall): Reply {
  const found = [...state.members].filter((member) => member === query.get("username"))
  return { status: 200, body: found.map(userDocument) }
}

const findProject = ({ state }: GitLabCall): Reply => ({
  status: 200,
  body: {
    id: 1,
    merge_method: state.merges.mergeMethod,
    merge_trains_enabled: state.pulls.queue !== undefined,
  },
})

/** The checks of a pull request fail, or a person takes it off its train: `reason` is null. */
export function leaveTrain(state: GitLabState, pull: PullState, reason: string | null): void {
  state.pulls.queue?.remove(pull, reason)
  const why = reason === null ? "" : ` because ${reason}`
  const body = `removed this merge request from the merge train${why}`
  state.merges.note(pull, { author: "ada", body, system: true })
}

const readTrain = about(({ state }, pull) => {
  const sha = state.pulls.queue?.commitOf(pull)
  return sha === undefined ? MISSING : { status: 200, body: { status: "fresh", pipeline: { sha } } }
})

const joinTrain = about(({ body, state }, pull) => {
  const { queue } = state.pulls
  const refused = queue ? queue.add(pull, body["sha"]) : "404 Not Found"
  return refused === undefined ? { status: 201, body: [] } : refusal(400, refused)
})

const PULLS = `${PROJECT}/merge_requests`
export const PULL = `${PULLS}/:iid`

export const GITLAB_PULL_ROUTES: readonly GitLabRoute[] = [
  { method: "GET", path: PROJECT, answer: findProject },
  { method: "GET", path: "/api/v4/users", answer: findUsers },
  { method: "GET", path: PULLS, answer: list },
  { method: "POST", path: PULLS, answer: open },
  { method: "GET", path: PULL, answer: about(() => undefined) },
  { method: "PUT", path: PULL, answer: change },
  { method: "PUT", path: `${PULL}/merge`, answer: merge },
  { method: "GET", path: `${PROJECT}/merge_trains/merge_requests/:iid`, answer: readTrain },
  { method: "POST", path: `${PROJECT}/merge_trains/merge_requests/:iid`, answer: joinTrain },
]
