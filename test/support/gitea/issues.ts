/** Issues of Gitea, their comments, and who may write to the repository. */
import type { Comment, Issue, RepoCollaboratorPermission } from "gitea-js"
import type { Reply } from "../api-server.ts"
import { type GiteaCall, type GiteaRoute, MISSING, REPO, userDocument } from "./route.ts"

export type GiteaIssue = {
  readonly number: number
  title: string
  body: string
  state: "open" | "closed"
  readonly author: string
  labels: Set<string>
  readonly comments: GiteaIssueComment[]
  readonly createdAtMs: number
  updatedAtMs: number
  /** Pull requests are issues too. */
  readonly isPull: boolean
}

type GiteaIssueComment = {
  readonly id: number
  readonly author: string
  readonly body: string
  readonly createdAtMs: number
}

/** The issues of one repository; any name leads to it. */
export class GiteaIssues {
  readonly all: GiteaIssue[] = []
  readonly #nowMs: () => number
  #lastComment = 1000

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** A person opens an issue. */
  open(issue: Partial<GiteaIssue> = {}): GiteaIssue {
    const number = this.all.length + 1
    const nowMs = this.#nowMs()
    const made: GiteaIssue = {
      number,
      title: `Issue ${number}`,
      body: "Please.",
      state: "open",
      author: "robot",
      labels: new Set(),
      comments: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      isPull: false,
      ...issue,
    }
    this.all.push(made)
    return made
  }

  find(number: number | string): GiteaIssue | undefined {
    return this.all.find((issue) => issue.number === Number(number))
  }

  change(issue: GiteaIssue, change: Partial<GiteaIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.#nowMs() })
  }

  comment(issue: GiteaIssue, author: string, body: string): GiteaIssueComment {
    const comment = { id: ++this.#lastComment, author, body, createdAtMs: this.#nowMs() }
    issue.comments.push(comment)
    this.change(issue, {})
    return comment
  }
}

const SITE = "https://gitea.example/acme/app"

const timeOf = (ms: number) => new Date(ms).toISOString()

const commentDocument = ({ id, author, body, createdAtMs }: GiteaIssueComment): Comment => ({
  id,
  body,
  user: userDocument(author),
  created_at: timeOf(createdAtMs),
  updated_at: timeOf(createdAtMs),
})

function issueDocument({ state }: GiteaCall, issue: GiteaIssue): Issue {
  const { number, labels, comments, isPull } = issue
  const document: Issue = {
    id: 9000 + number,
    number,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    user: userDocument(issue.author),
    html_url: `${SITE}/issues/${number}`,
    labels: state.labels.all().filter(({ name }) => labels.has(name)),
    comments: comments.length,
    created_at: timeOf(issue.createdAtMs),
    updated_at: timeOf(issue.updatedAtMs),
  }
  // Gitea's types do not say so, but it sends null for an issue.
  return Object.assign(document, { pull_request: isPull ? { merged: false } : null })
}

/** Labels that do not exist filter nothing. */
function list(call: GiteaCall): Reply {
  const { query, state } = call
  const known = state.labels.all().map(({ name }) => name)
  const wanted = (query.get("labels") ?? "").split(",").filter((name) => known.includes(name))
  const found = state.issues.all
    .filter((issue) => [issue.state, "all"].includes(query.get("state") ?? "open"))
    .filter((issue) => query.get("type") !== "issues" || !issue.isPull)
    .filter(({ labels }) => wanted.every((name) => labels.has(name)))
    .sort((one, two) => two.updatedAtMs - one.updatedAtMs || two.number - one.number)
  return { status: 200, body: found.map((issue) => issueDocument(call, issue)) }
}

/** Answers with what `act` makes of the issue; 404 if there is none. */
const ofIssue = (act: (issue: GiteaIssue, call: GiteaCall) => Reply) => (call: GiteaCall) => {
  const issue = call.state.issues.find(call.params["index"] ?? "")
  return issue ? act(issue, call) : MISSING
}

const addComment = ofIssue((issue, { body, state, login }) => {
  const made = state.issues.comment(issue, login, String(body["body"] ?? ""))
  return { status: 201, body: commentDocument(made) }
})

function removeComment({ params, state }: GiteaCall): Reply {
  for (const { comments } of state.issues.all) {
    const at = comments.findIndex(({ id }) => id === Number(params["id"]))
    if (at < 0) continue
    comments.splice(at, 1)
    return { status: 204 }
  }
  return MISSING
}

const change = ofIssue((issue, call) => {
  const { title = issue.title, body = issue.body, state = issue.state } = call.body
  call.state.issues.change(issue, { title, body, state } as Partial<GiteaIssue>)
  return { status: 201, body: issueDocument(call, issue) }
})

function permission({ params, state }: GiteaCall): Reply {
  const { user = "" } = params
  const may = state.members.has(user) ? "write" : "read"
  const found: RepoCollaboratorPermission = {
    permission: may,
    role_name: may,
    user: userDocument(user),
  }
  return { status: 200, body: found }
}

const ISSUES = `${REPO}/issues`
const ISSUE = `${ISSUES}/:index`

export const GITEA_ISSUE_ROUTES: readonly GiteaRoute[] = [
  { method: "GET", path: ISSUES, answer: list },
  {
    method: "GET",
    path: ISSUE,
    answer: ofIssue((issue, call) => ({ status: 200, body: issueDocument(call, issue) })),
  },
  {
    method: "GET",
    path: `${ISSUE}/comments`,
    answer: ofIssue(({ comments }) => ({
      status: 200,
      isWhole: true,
      body: comments.map(commentDocument),
    })),
  },
  { method: "PATCH", path: ISSUE, answer: change },
  { method: "POST", path: `${ISSUE}/comments`, answer: addComment },
  { method: "DELETE", path: `${ISSUES}/comments/:id`, answer: removeComment },
  { method: "GET", path: `${REPO}/collaborators/:user/permission`, answer: permission },
]
