/** The issues of the Linear look-alike: its state, and what each operation answers. */
import type { ApiCall } from "../api-server.ts"

export type LinearUser = {
  readonly id: string
  readonly displayName: string
  readonly email: string
  active: boolean
  guest: boolean
  app: boolean
}

export type LinearComment = {
  readonly id: string
  body: string
  createdAtMs: number
  /** Null: another service wrote it. */
  readonly author: string | null
}

export type LinearIssue = {
  readonly number: number
  team: string
  /** The slug of its project. */
  project: string | null
  title: string
  description: string | null
  readonly creator: string | null
  /** The name of a state. */
  state: string
  labels: string[]
  comments: LinearComment[]
  updatedAtMs: number
  isArchived: boolean
}

/** The types of the states that each team has. */
const STATES: Readonly<Record<string, string>> = {
  Todo: "unstarted",
  "In Progress": "started",
  "In Review": "started",
  Done: "completed",
  Canceled: "canceled",
}

/** A workspace with one team. */
export class LinearState {
  readonly team = "ENG"
  readonly issues: LinearIssue[] = []
  readonly users = new Map<string, LinearUser>()
  readonly labels = ["coppice", "coppice: in progress", "bug"]
  readonly nowMs: () => number
  #last = 0

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
    for (const name of ["robot", "rival"]) this.join(name)
  }

  join(name: string, user: Partial<LinearUser> = {}): void {
    const email = `${name}@acme.example`
    const made = { id: `user-${name}`, displayName: name, email, active: true }
    this.users.set(name, { ...made, guest: false, app: false, ...user })
  }

  /** A person opens an issue. */
  open(issue: Partial<LinearIssue> = {}): LinearIssue {
    const number = this.issues.length + 1
    const made: LinearIssue = {
      number,
      team: this.team,
      project: null,
      title: `Issue ${number}`,
      description: "Please.",
      creator: "robot",
      state: "Todo",
      labels: [],
      comments: [],
      updatedAtMs: this.nowMs(),
      isArchived: false,
      ...issue,
    }
    this.issues.push(made)
    return made
  }

  change(issue: LinearIssue, change: Partial<LinearIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.nowMs() })
  }

  find(identifier: string): LinearIssue | undefined {
    return this.issues.find((one) => identifierOf(one) === identifier && !one.isArchived)
  }

  comment(issue: LinearIssue, author: string | null, body: string): LinearComment {
    const made = { id: `comment-${++this.#last}`, body, createdAtMs: this.nowMs(), author }
    issue.comments.push(made)
    return made
  }
}

export const identifierOf = ({ team, number }: LinearIssue) => `${team}-${number}`

/** An answer to one operation; text: the message of an error. */
type Answers = Readonly<Record<string, (call: Operation) => unknown>>
type Operation = {
  readonly state: LinearState
  readonly login: string
  // biome-ignore lint/suspicious/noExplicitAny: the variables of any query
  readonly given: any
}

const COST_MAX = 10_000

/** The operation that a query names; `Linear` refuses a query whose lists are too long. */
export function answerQuery({ state, login, body }: ApiCall<LinearState>) {
  const query = String(body["query"] ?? "")
  const [, operation = ""] = /^\s*(?:query|mutation) (\w+)/.exec(query) ?? []
  const given = Object(body["variables"])
  if (Number(given.first ?? 1) * 11 > COST_MAX)
    return refusal(400, "Query too complex", "user error")
  const act = ANSWERS[operation]
  if (!act) return refusal(400, `Unknown operation ${operation}`, "graphql error")
  const data = act({ state, login, given })
  if (typeof data !== "string") return { status: 200, body: { data } }
  return refusal(200, data, "invalid input")
}

const refusal = (status: number, message: string, type: string) => ({
  status,
  body: { data: null, errors: [{ message, extensions: { type } }] },
})

const idOf = (kind: string, name: string) => `${kind}:${name}`
const nameOf = (id: string) => id.slice(id.indexOf(":") + 1)
const named = (kind: string, names: readonly string[], wanted: readonly string[]) => ({
  nodes: names
    .filter((name) => wanted.includes(name))
    .map((name) => ({ id: idOf(kind, name), name })),
})

const ANSWERS: Answers = {
  Issues: ({ state, given: { filter, labels, first, after } }) => {
    const found = state.issues
      .filter((issue) => !issue.isArchived && fits(issue, filter))
      .sort((one, two) => two.updatedAtMs - one.updatedAtMs)
    return {
      issues: pageOf(
        found.map((one) => documentOf(state, one, labels)),
        first,
        after,
      ),
    }
  },
  Comments: ({ state, given: { filter, first, after } }) => {
    const found = state.issues.filter((issue) => !issue.isArchived && fits(issue, filter.issue))
    // Linear lists the newest first.
    const all = found.flatMap(({ comments }) => comments).toReversed()
    return {
      comments: pageOf(
        all.map((one) => commentDocument(state, one)),
        first,
        after,
      ),
    }
  },
  Names: ({ state, given: { team, names } }) => ({
    teams: { nodes: team === state.team ? [{ id: "team-1", name: "Engineering" }] : [] },
    issueLabels: named("label", state.labels, names),
    workflowStates: named("state", Object.keys(STATES), names),
  }),
  AddComment: ({ state, login, given }) => {
    const issue = state.find(given.issue)
    if (!issue) return "Entity not found: Issue"
    const comment = state.comment(issue, login, given.body)
    return { commentCreate: { comment: commentDocument(state, comment) } }
  },
  RemoveComment: ({ state, given: { id } }) => {
    const issue = state.issues.find(({ comments }) => comments.some((one) => one.id === id))
    if (!issue) return "Entity not found: Comment"
    issue.comments = issue.comments.filter((one) => one.id !== id)
    return { commentDelete: { success: true } }
  },
  Change: ({ state, given: { issue: id, change } }) => {
    const issue = state.find(id)
    if (!issue) return "Entity not found: Issue"
    const { addedLabelIds = [], removedLabelIds = [], stateId } = change
    const removed = removedLabelIds.map(nameOf)
    const labels = [...issue.labels, ...addedLabelIds.map(nameOf)]
    state.change(issue, {
      labels: [...new Set(labels)].filter((label) => !removed.includes(label)),
      ...(stateId === undefined ? {} : { state: nameOf(stateId) }),
    })
    return { issueUpdate: { success: true } }
  },
}

// biome-ignore lint/suspicious/noExplicitAny: a filter as GraphQL has it
function fits(issue: LinearIssue, { team, project, number, labels, state }: any): boolean {
  return (
    issue.team === team.key.eq &&
    (project === undefined || project.slugId.in.includes(issue.project)) &&
    (number === undefined || issue.number === number.eq) &&
    (labels === undefined || issue.labels.includes(labels.some.name.eq)) &&
    (state?.name === undefined || state.name.in.includes(issue.state)) &&
    (state?.type === undefined || !state.type.nin.includes(STATES[issue.state]))
  )
}

/** A cursor is the number of nodes before it. */
function pageOf(all: readonly unknown[], first: number, after?: string) {
  const start = Number(after ?? 0)
  const nodes = all.slice(start, start + first)
  const end = start + nodes.length
  return { nodes, pageInfo: { hasNextPage: end < all.length, endCursor: String(end) } }
}

function documentOf(state: LinearState, issue: LinearIssue, labels: readonly string[]) {
  return {
    identifier: identifierOf(issue),
    title: issue.title,
    description: issue.description,
    url: `https://linear.app/acme/issue/${identifierOf(issue)}`,
    creator: issue.creator === null ? null : state.users.get(issue.creator),
    state: { name: issue.state, type: STATES[issue.state] },
    labels: { nodes: issue.labels.filter((one) => labels.includes(one)).map((name) => ({ name })) },
  }
}

const commentDocument = (state: LinearState, { id, body, createdAtMs, author }: LinearComment) => ({
  id,
  body,
  createdAt: new Date(createdAtMs).toISOString(),
  user: author === null ? null : { id: state.users.get(author)?.id ?? author },
})
