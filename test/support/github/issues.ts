/** Issues and their labels. */
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

export type IssueState = {
  readonly number: number
  title: string
  body: string | null
  state: "open" | "closed"
  readonly author: string
  labels: string[]
  readonly comments: CommentState[]
  readonly createdAtMs: number
  updatedAtMs: number
  /** Pull requests are listed with the issues too. */
  readonly isPull: boolean
}

export type CommentState = {
  readonly id: number
  readonly author: string
  body: string
  readonly createdAtMs: number
}

/** The issues of one repository; any name leads to it. */
export class Issues {
  readonly all: IssueState[] = []
  readonly #nowMs: () => number
  #lastComment = 1000

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** A person opens an issue. */
  open(issue: Partial<IssueState> = {}): IssueState {
    const nowMs = this.#nowMs()
    const number = Math.max(0, ...this.all.map((one) => one.number)) + 1
    const made: IssueState = {
      number,
      title: `Issue ${number}`,
      body: "Please.",
      state: "open",
      author: "robot",
      labels: [],
      comments: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      isPull: false,
      ...issue,
    }
    this.all.push(made)
    return made
  }

  /** The names of all labels in use. */
  get labels(): readonly string[] {
    return [...new Set(this.all.flatMap(({ labels }) => labels))].toSorted()
  }

  find(number: number | string): IssueState | undefined {
    return this.all.find((issue) => issue.number === Number(number))
  }

  change(issue: IssueState, change: Partial<IssueState>): void {
    Object.assign(issue, change, { updatedAtMs: this.#nowMs() })
  }

  comment(issue: IssueState, author: string, body: string): CommentState {
    const comment = { id: ++this.#lastComment, author, body, createdAtMs: this.#nowMs() }
    issue.comments.push(comment)
    this.change(issue, {})
    return comment
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

export const associationOf = ({ state }: Call, login: string): string =>
  state.members.has(login) ? "MEMBER" : "NONE"

function issueDocument(call: Call, issue: IssueState): object {
  const { number, title, body, state, author, labels, comments } = issue
  return {
    number,
    title,
    body,
    state,
    user: { login: author },
    comments: comments.length,
    author_association: associationOf(call, author),
    labels: labels.map((name) => ({ name })),
    created_at: iso(issue.createdAtMs),
    updated_at: iso(issue.updatedAtMs),
    ...(issue.isPull ? { pull_request: {} } : {}),
  }
}

function list(call: Call): Reply {
  const { query, state } = call
  const wanted = query.get("labels")?.split(",") ?? []
  const open = query.get("state") ?? "open"
  const sort = query.get("sort") === "updated" ? "updatedAtMs" : "createdAtMs"
  const sign = query.get("direction") === "asc" ? 1 : -1
  const found = state.issues.all
    .filter((issue) => open === "all" || issue.state === open)
    .filter(({ labels }) => wanted.every((label) => labels.includes(label)))
    .sort((one, two) => sign * (one[sort] - two[sort] || one.number - two.number))
  return { status: 200, body: found.map((issue) => issueDocument(call, issue)) }
}

/** Answers with the issue after a change; 404 if there is none. */
function changing(call: Call, change: (issue: IssueState) => Reply | undefined): Reply {
  const issue = call.state.issues.find(call.params["number"] ?? "")
  if (!issue) return NOT_FOUND
  return change(issue) ?? { status: 200, body: issueDocument(call, issue) }
}

const labelList = (issue: IssueState): Reply => ({
  status: 200,
  body: issue.labels.map((name) => ({ name })),
})

const ISSUE = "/repos/:owner/:repo/issues/:number"

export const ISSUE_ROUTES: readonly Route[] = [
  { method: "GET", path: "/repos/:owner/:repo/issues", answer: list },
  { method: "GET", path: ISSUE, answer: (call) => changing(call, () => undefined) },
  {
    method: "PATCH",
    path: ISSUE,
    answer: (call) =>
      changing(call, (issue) => {
        call.state.issues.change(issue, call.body as Partial<IssueState>)
        return undefined
      }),
  },
  {
    method: "POST",
    path: `${ISSUE}/labels`,
    answer: (call) =>
      changing(call, (issue) => {
        const added = call.body["labels"] as readonly string[]
        call.state.issues.change(issue, { labels: [...new Set([...issue.labels, ...added])] })
        return labelList(issue)
      }),
  },
  {
    method: "DELETE",
    path: `${ISSUE}/labels/:label`,
    answer: (call) =>
      changing(call, (issue) => {
        const { label = "" } = call.params
        if (!issue.labels.includes(label)) return NOT_FOUND
        call.state.issues.change(issue, { labels: issue.labels.filter((one) => one !== label) })
        return labelList(issue)
      }),
  },
]
