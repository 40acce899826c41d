/** The issues of the Jira look-alike: its state and its routes. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"

export type JiraUser = {
  readonly accountId: string
  displayName: string
  emailAddress?: string
  active: boolean
  accountType: string
  /** Issues of the project can be assigned to it. */
  isAssignable: boolean
}

export type JiraComment = { readonly id: string; body: unknown; readonly author: string }

export type JiraIssue = {
  key: string
  summary: string
  description: unknown
  readonly creator: string | null
  status: string
  labels: string[]
  readonly comments: JiraComment[]
  updatedAtMs: number
}

type Call = ApiCall<JiraState>

/** The category of each status, and the statuses that can follow it. */
const WORKFLOW: Readonly<Record<string, { readonly category: string; readonly to: string[] }>> = {
  "To Do": { category: "new", to: ["In Progress"] },
  "In Progress": { category: "indeterminate", to: ["To Do", "In Review"] },
  "In Review": { category: "indeterminate", to: ["Done", "To Do"] },
  Done: { category: "done", to: [] },
}

/** A site with one project. */
export class JiraState {
  readonly issues: JiraIssue[] = []
  readonly users = new Map<string, JiraUser>()
  readonly nowMs: () => number
  #lastComment = 9990

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
    for (const name of ["robot", "rival"]) this.join(name)
  }

  join(name: string, user: Partial<JiraUser> = {}): void {
    const made = { displayName: name, active: true, accountType: "atlassian", isAssignable: true }
    this.users.set(name, { accountId: `712020:${name}`, ...made, ...user })
  }

  /** A person opens an issue. */
  open(issue: Partial<JiraIssue> = {}): JiraIssue {
    const made: JiraIssue = {
      key: `ENG-${this.issues.length + 1}`,
      summary: "An issue",
      description: docOf("Please."),
      creator: "robot",
      status: "To Do",
      labels: [],
      comments: [],
      updatedAtMs: this.nowMs(),
      ...issue,
    }
    this.issues.push(made)
    return made
  }

  find(key = ""): JiraIssue | undefined {
    return this.issues.find((one) => one.key === key)
  }

  change(issue: JiraIssue, change: Partial<JiraIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.nowMs() })
  }

  comment(issue: JiraIssue, author: string, body: unknown): JiraComment {
    const made = { id: String(++this.#lastComment), body, author }
    issue.comments.push(made)
    return made
  }
}

export const docOf = (text: string) => ({
  type: "doc",
  version: 1,
  content: text === "" ? [] : [{ type: "paragraph", content: [{ type: "text", text }] }],
})

const MISSING: Reply = {
  status: 404,
  body: { errorMessages: ["Issue does not exist or you do not have permission to see it."] },
}
const wrong = (message: string): Reply => ({ status: 400, body: { errorMessages: [message] } })

function userDocument(state: JiraState, name: string) {
  const { isAssignable, ...user } = state.users.get(name) ?? { accountId: name }
  return user
}

const issueDocument = (state: JiraState, issue: JiraIssue) => ({
  id: "10001",
  key: issue.key,
  fields: {
    summary: issue.summary,
    description: issue.description,
    labels: issue.labels,
    status: {
      name: issue.status,
      statusCategory: { key: WORKFLOW[issue.status]?.category ?? "new" },
    },
    creator: issue.creator === null ? null : userDocument(state, issue.creator),
  },
})

const commentDocument = (state: JiraState, { id, body, author }: JiraComment) => ({
  id,
  body,
  author: userDocument(state, author),
})

/** Understands the queries of Coppice alone. */
const JQL =
  /^project = "(?<project>[^"]+)" AND (?:status IN \((?<status>"[^)]+")\)|labels = "(?<label>[^"]+)" AND statusCategory != Done) ORDER BY updated DESC$/

function search({ query, state }: Call): Reply {
  const found = JQL.exec(query.get("jql") ?? "")?.groups
  if (!found) return wrong("Error in the JQL Query.")
  const { project, status, label } = found
  if (project !== "ENG")
    return wrong(`The value '${project}' does not exist for the field 'project'.`)
  const statuses = status?.split(", ").map((one) => one.slice(1, -1)) ?? []
  const unknown = statuses.find((one) => !WORKFLOW[one])
  if (unknown !== undefined)
    return wrong(`The value '${unknown}' does not exist for the field 'status'.`)
  const all = state.issues
    .filter((one) => one.key.startsWith("ENG-"))
    .filter((one) =>
      label === undefined
        ? statuses.includes(one.status)
        : one.labels.includes(label) && WORKFLOW[one.status]?.category !== "done",
    )
    .sort((one, two) => two.updatedAtMs - one.updatedAtMs)
  const start = Number(query.get("nextPageToken") ?? 0)
  const end = start + Number(query.get("maxResults") ?? 50)
  const issues = all.slice(start, end).map((one) => issueDocument(state, one))
  const isLast = end >= all.length
  return { status: 200, body: { issues, isLast, ...(!isLast && { nextPageToken: String(end) }) } }
}

/** Answers with what `act` makes of the issue; 404 if there is none. */
const ofIssue = (act: (issue: JiraIssue, call: Call) => Reply) => (call: Call) => {
  const issue = call.state.find(call.params["key"])
  return issue ? act(issue, call) : MISSING
}

const edit = ofIssue((issue, { body, state }) => {
  const { labels = [] } = Object(body["update"]) as {
    readonly labels?: readonly { readonly add?: string; readonly remove?: string }[]
  }
  if (labels.some(({ add }) => add?.includes(" ")))
    return wrong("The label contains spaces which is invalid.")
  const removed = labels.map(({ remove }) => remove)
  const added = labels.flatMap(({ add }) => (add === undefined ? [] : [add]))
  const kept = [...new Set([...issue.labels, ...added])].filter((one) => !removed.includes(one))
  state.change(issue, { labels: kept })
  return { status: 204 }
})

const listComments = ofIssue(({ comments }, { query, state }) => {
  const startAt = Number(query.get("startAt") ?? 0)
  const maxResults = Number(query.get("maxResults") ?? 50)
  const shown = comments.slice(startAt, startAt + maxResults)
  const all = shown.map((one) => commentDocument(state, one))
  return { status: 200, body: { startAt, maxResults, total: comments.length, comments: all } }
})

const addComment = ofIssue((issue, { body, login, state }) => {
  if (Object(body["body"]).type !== "doc") return wrong("Comment body is not valid!")
  const made = state.comment(issue, login, body["body"])
  return { status: 201, body: commentDocument(state, made) }
})

const removeComment = ofIssue(({ comments }, { params }) => {
  const at = comments.findIndex(({ id }) => id === params["id"])
  if (at < 0) return MISSING
  comments.splice(at, 1)
  return { status: 204 }
})

const idOf = (status: string) => String(Object.keys(WORKFLOW).indexOf(status) + 11)

const listTransitions = ofIssue((issue) => {
  const next = WORKFLOW[issue.status]?.to ?? []
  const transitions = next.map((name) => ({ id: idOf(name), name: `Go to ${name}`, to: { name } }))
  return { status: 200, body: { transitions } }
})

const transit = ofIssue((issue, { body, state }) => {
  const { id } = Object(body["transition"])
  const status = WORKFLOW[issue.status]?.to.find((name) => idOf(name) === id)
  if (status === undefined) return wrong("It is not possible to transition the issue.")
  state.change(issue, { status })
  return { status: 204 }
})

function findAssignable({ query, state }: Call): Reply {
  const found = [...state.users].filter(
    ([, { accountId, isAssignable }]) => isAssignable && accountId === query.get("accountId"),
  )
  return { status: 200, body: found.map(([name]) => userDocument(state, name)) }
}

const API = "/rest/api/3"
const ISSUE = `${API}/issue/:key`

export const JIRA_ROUTES: readonly ApiRoute<JiraState>[] = [
  { method: "GET", path: `${API}/search/jql`, answer: search },
  {
    method: "GET",
    path: ISSUE,
    answer: ofIssue((issue, { state }) => ({ status: 200, body: issueDocument(state, issue) })),
  },
  { method: "PUT", path: ISSUE, answer: edit },
  { method: "GET", path: `${ISSUE}/comment`, answer: listComments },
  { method: "POST", path: `${ISSUE}/comment`, answer: addComment },
  { method: "DELETE", path: `${ISSUE}/comment/:id`, answer: removeComment },
  { method: "GET", path: `${ISSUE}/transitions`, answer: listTransitions },
  { method: "POST", path: `${ISSUE}/transitions`, answer: transit },
  { method: "GET", path: `${API}/user/assignable/search`, answer: findAssignable },
]
