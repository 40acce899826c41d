/** The issues of the Jira double: its state and its routes. */
import type { ApiCall, ApiRoute, Reply } from "../api-server.ts"
import { type Jql, parseJql } from "./jql.ts"

export type JiraUser = {
  readonly accountId: string
  displayName: string
  emailAddress?: string
  active: boolean
  accountType: string
  /** Issues of the project can be assigned to it. */
  isAssignable: boolean
}

export type JiraComment = {
  readonly id: string
  body: unknown
  readonly author: string
  readonly createdAtMs: number
}

export type JiraIssue = {
  key: string
  summary: string
  description: unknown
  readonly creator: string | null
  status: string
  labels: string[]
  readonly comments: JiraComment[]
  readonly createdAtMs: number
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
    const nowMs = this.nowMs()
    const made: JiraIssue = {
      key: `ENG-${this.issues.length + 1}`,
      summary: "An issue",
      description: docOf("Please."),
      creator: "robot",
      status: "To Do",
      labels: [],
      comments: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...issue,
    }
    this.issues.push(made)
    return made
  }

  /** @param key the issue's key, or its id. */
  find(key = ""): JiraIssue | undefined {
    return this.issues.find((one) => one.key === key || this.idOf(one) === key)
  }

  idOf(issue: JiraIssue): string {
    return String(10_001 + this.issues.indexOf(issue))
  }

  change(issue: JiraIssue, change: Partial<JiraIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.nowMs() })
  }

  comment(issue: JiraIssue, author: string, body: unknown): JiraComment {
    const made = { id: String(++this.#lastComment), body, author, createdAtMs: this.nowMs() }
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
  body: {
    errorMessages: ["Issue does not exist or you do not have permission to see it."],
    errors: {},
  },
}
const wrong = (message: string): Reply => ({
  status: 400,
  body: { errorMessages: [message], errors: {} },
})

function userDocument(state: JiraState, name: string) {
  const { isAssignable, ...user } = state.users.get(name) ?? { accountId: name }
  return user
}

/** As Jira writes it: without a colon in the zone. */
const timeOf = (ms: number) => new Date(ms).toISOString().replace("Z", "+0000")

const statusDocument = (name: string) => ({
  id: String(Object.keys(WORKFLOW).indexOf(name) + 1),
  name,
  statusCategory: { key: WORKFLOW[name]?.category ?? "new" },
})

/** @param wanted the names of the fields. A search without them answers ids alone. */
function issueDocument(state: JiraState, issue: JiraIssue, wanted: readonly string[]) {
  const id = state.idOf(issue)
  if (wanted.length === 0) return { id }
  const fields = {
    summary: issue.summary,
    description: issue.description,
    labels: issue.labels,
    status: statusDocument(issue.status),
    creator: issue.creator === null ? null : userDocument(state, issue.creator),
    created: timeOf(issue.createdAtMs),
    updated: timeOf(issue.updatedAtMs),
  }
  const shown = Object.entries(fields).filter(
    ([name]) => wanted.includes("*all") || wanted.includes(name),
  )
  return { id, key: issue.key, fields: Object.fromEntries(shown) }
}

const fieldsIn = ({ query }: Call) => query.getAll("fields").flatMap((one) => one.split(","))

const commentDocument = (state: JiraState, { id, body, author, createdAtMs: ms }: JiraComment) => ({
  ...{ id, body, author: userDocument(state, author) },
  ...{ created: timeOf(ms), updated: timeOf(ms) },
})

const CATEGORIES: Readonly<Record<string, string>> = {
  new: "To Do",
  indeterminate: "In Progress",
  done: "Done",
}

const factsOf = ({ key, status, labels }: JiraIssue) => ({
  project: key.replace(/-\d+$/, ""),
  key,
  issuekey: key,
  status,
  statuscategory: CATEGORIES[WORKFLOW[status]?.category ?? "new"] ?? "",
  labels,
})

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  project: ["ENG"],
  status: Object.keys(WORKFLOW),
  statuscategory: Object.values(CATEGORIES),
}
const FIELDS = Object.keys(factsOf({ key: "", status: "", labels: [] } as unknown as JiraIssue))

function problemOf({ named }: Jql): string | undefined {
  for (const [field, value] of named) {
    if (!FIELDS.includes(field))
      return `Field '${field}' does not exist or you do not have permission to view it.`
    if (KNOWN[field]?.includes(value) === false)
      return `The value '${value}' does not exist for the field '${field}'.`
  }
  return undefined
}

function search(call: Call): Reply {
  const { query, state } = call
  const jql = parseJql(query.get("jql") ?? "")
  if (!jql) return wrong("Error in the JQL Query.")
  const problem = problemOf(jql)
  if (problem !== undefined) return wrong(problem)
  const { field = "created", isDescending = true } = jql.order ?? {}
  const sign = isDescending ? 1 : -1
  const timeMs = (one: JiraIssue) => (field === "updated" ? one.updatedAtMs : one.createdAtMs)
  const all = state.issues
    .filter((one) => jql.fits(factsOf(one)))
    .sort((one, two) => sign * (timeMs(two) - timeMs(one)))
  const start = Number(query.get("nextPageToken") ?? 0)
  const end = start + Number(query.get("maxResults") ?? 50)
  const issues = all.slice(start, end).map((one) => issueDocument(state, one, fieldsIn(call)))
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
  const { summary = issue.summary } = Object(body["fields"])
  if (labels.some(({ add }) => add?.includes(" ")))
    return wrong("The label contains spaces which is invalid.")
  const removed = labels.map(({ remove }) => remove)
  const added = labels.flatMap(({ add }) => (add === undefined ? [] : [add]))
  const kept = [...new Set([...issue.labels, ...added])].filter((one) => !removed.includes(one))
  state.change(issue, { labels: kept, summary })
  return { status: 204 }
})

const listComments = ofIssue(({ comments }, { query, state }) => {
  const startAt = Number(query.get("startAt") ?? 0)
  const maxResults = Number(query.get("maxResults") ?? 50)
  const isNewestFirst = query.get("orderBy") === "-created"
  const ordered = isNewestFirst ? comments.toReversed() : comments
  const shown = ordered.slice(startAt, startAt + maxResults)
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
  const transitions = next.map((name) => {
    return { id: idOf(name), name: `Go to ${name}`, isAvailable: true, to: statusDocument(name) }
  })
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
    answer: ofIssue((issue, call) => {
      const named = fieldsIn(call)
      const fields = named.length > 0 ? named : ["*all"]
      return { status: 200, body: issueDocument(call.state, issue, fields) }
    }),
  },
  { method: "PUT", path: ISSUE, answer: edit },
  { method: "GET", path: `${ISSUE}/comment`, answer: listComments },
  { method: "POST", path: `${ISSUE}/comment`, answer: addComment },
  { method: "DELETE", path: `${ISSUE}/comment/:id`, answer: removeComment },
  { method: "GET", path: `${ISSUE}/transitions`, answer: listTransitions },
  { method: "POST", path: `${ISSUE}/transitions`, answer: transit },
  { method: "GET", path: `${API}/user/assignable/search`, answer: findAssignable },
]
