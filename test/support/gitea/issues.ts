/** Issues of Gitea, their comments, and who may write to the repository. */
import type { Reply } from "../api-server.ts"
import { type GiteaCall, type GiteaRoute, MISSING, REPO } from "./route.ts"

export type GiteaIssue = {
  readonly number: number
  title: string
  body: string
  state: "open" | "closed"
  readonly author: string
  labels: Set<string>
  readonly comments: GiteaIssueComment[]
  updatedAtMs: number
  /** Pull requests are issues too. */
  readonly isPull: boolean
}

type GiteaIssueComment = { readonly id: number; readonly author: string; readonly body: string }

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
    const made: GiteaIssue = {
      number,
      title: `Issue ${number}`,
      body: "Please.",
      state: "open",
      author: "robot",
      labels: new Set(),
      comments: [],
      updatedAtMs: this.#nowMs(),
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
    const comment = { id: ++this.#lastComment, author, body }
    issue.comments.push(comment)
    this.change(issue, {})
    return comment
  }
}

const commentDocument = ({ author, ...facts }: GiteaIssueComment) => ({
  ...facts,
  user: { login: author },
})

function issueDocument({ state }: GiteaCall, issue: GiteaIssue): object {
  const { author, labels, comments, isPull, ...facts } = issue
  return {
    ...facts,
    user: { login: author },
    html_url: `https://gitea.example/acme/app/issues/${issue.number}`,
    labels: state.labels.all().filter(({ name }) => labels.has(name)),
    comments: comments.length,
    pull_request: isPull ? { merged: false } : null,
  }
}

/** Labels that do not exist filter nothing. */
function list(call: GiteaCall): Reply {
  const { query, state } = call
  const known = state.labels.all().map(({ name }) => name)
  const wanted = (query.get("labels") ?? "").split(",").filter((name) => known.includes(name))
  const found = state.issues.all
    .filter((issue) => issue.state === (query.get("state") ?? "open"))
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

function permission({ params, state }: GiteaCall): Reply {
  const { user = "" } = params
  const may = state.members.has(user) ? "write" : "read"
  return { status: 200, body: { permission: may, user: { login: user } } }
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
  { method: "POST", path: `${ISSUE}/comments`, answer: addComment },
  { method: "DELETE", path: `${ISSUES}/comments/:id`, answer: removeComment },
  { method: "GET", path: `${REPO}/collaborators/:user/permission`, answer: permission },
]
