/** Issues of a GitLab project, their labels and notes, and the members of the project. */
import type { Reply } from "../api-server.ts"
import { type GitLabCall, type GitLabRoute, idOf, MISSING, PROJECT, userDocument } from "./route.ts"

export type GitLabIssue = {
  readonly iid: number
  title: string
  description: string | null
  state: "opened" | "closed"
  readonly author: string
  labels: string[]
  readonly notes: GitLabNote[]
  readonly createdAtMs: number
  updatedAtMs: number
}

export type GitLabNote = {
  readonly id: number
  readonly author: string
  readonly body: string
  readonly createdAtMs: number
  /** Written by GitLab itself, such as "added a label". */
  readonly system: boolean
}

/** The issues of one project; any path leads to it. */
export class GitLabIssues {
  readonly all: GitLabIssue[] = []
  readonly #nowMs: () => number
  #lastNote = 1000

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** A person opens an issue. */
  open(issue: Partial<GitLabIssue> = {}): GitLabIssue {
    const iid = this.all.length + 1
    const nowMs = this.#nowMs()
    const made: GitLabIssue = {
      iid,
      title: `Issue ${iid}`,
      description: "Please.",
      state: "opened",
      author: "robot",
      labels: [],
      notes: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...issue,
    }
    this.all.push(made)
    return made
  }

  find(iid: number | string): GitLabIssue | undefined {
    return this.all.find((issue) => issue.iid === Number(iid))
  }

  change(issue: GitLabIssue, change: Partial<GitLabIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.#nowMs() })
  }

  note(issue: GitLabIssue, author: string, body: string, system = false): GitLabNote {
    const createdAtMs = this.#nowMs()
    const note = { id: ++this.#lastNote, author, body, createdAtMs, system }
    issue.notes.push(note)
    this.change(issue, {})
    return note
  }
}

const issueDocument = (issue: GitLabIssue) => ({
  id: 9000 + issue.iid,
  iid: issue.iid,
  project_id: 1,
  title: issue.title,
  description: issue.description,
  state: issue.state,
  labels: issue.labels,
  author: userDocument(issue.author),
  web_url: `https://gitlab.example/acme/app/-/issues/${issue.iid}`,
  created_at: new Date(issue.createdAtMs).toISOString(),
  updated_at: new Date(issue.updatedAtMs).toISOString(),
  user_notes_count: issue.notes.filter(({ system }) => !system).length,
})

const noteDocument = (
  { id, author, body, createdAtMs, system }: GitLabNote,
  { iid }: GitLabIssue,
) => ({
  id,
  body,
  system,
  author: userDocument(author),
  created_at: new Date(createdAtMs).toISOString(),
  updated_at: new Date(createdAtMs).toISOString(),
  noteable_type: "Issue",
  noteable_iid: iid,
  project_id: 1,
  resolvable: false,
})

/** A list of labels; some clients send an array. */
export const words = (value: unknown) =>
  String(value ?? "")
    .split(",")
    .filter(Boolean)

function list({ query, state }: GitLabCall): Reply {
  const wanted = words(query.get("labels"))
  const found = state.issues.all
    .filter(
      (issue) => (query.get("state") ?? "all") === "all" || issue.state === query.get("state"),
    )
    .filter(({ labels }) => wanted.every((label) => labels.includes(label)))
    .sort((one, two) => two.updatedAtMs - one.updatedAtMs || two.iid - one.iid)
  return { status: 200, body: found.map(issueDocument) }
}

/** Answers with what `act` makes of the issue; 404 if there is none. */
const ofIssue = (act: (issue: GitLabIssue, call: GitLabCall) => Reply) => (call: GitLabCall) => {
  const issue = call.state.issues.find(call.params["iid"] ?? "")
  return issue ? act(issue, call) : MISSING
}

const change = ofIssue((issue, { body, state, login }) => {
  const removed = words(body["remove_labels"])
  const kept = body["labels"] === undefined ? issue.labels : words(body["labels"])
  const labels = [...kept, ...words(body["add_labels"])]
  const { state_event: event } = body
  state.issues.change(issue, {
    labels: [...new Set(labels)].filter((label) => !removed.includes(label)),
    ...(event === "close" ? { state: "closed" } : {}),
    ...(event === "reopen" ? { state: "opened" } : {}),
  })
  state.issues.note(issue, login, "changed labels", true)
  return { status: 200, body: issueDocument(issue) }
})

const addNote = ofIssue((issue, { body, state, login }) => {
  const text = String(body["body"] ?? "")
  if (text === "") return { status: 400, body: { message: "400 (Bad request) body not given" } }
  return { status: 201, body: noteDocument(state.issues.note(issue, login, text), issue) }
})

const removeNote = ofIssue((issue, { params }) => {
  const at = issue.notes.findIndex(({ id }) => id === Number(params["id"]))
  if (at < 0) return MISSING
  issue.notes.splice(at, 1)
  return { status: 204 }
})

const listNotes = ofIssue((issue, { query }) => {
  const all = issue.notes.map((note) => noteDocument(note, issue))
  return { status: 200, body: query.get("sort") === "asc" ? all : all.reverse() }
})

function findMember({ params, state }: GitLabCall): Reply {
  const member = [...state.members].find((one) => idOf(one) === Number(params["id"]))
  if (member === undefined) return MISSING
  return {
    status: 200,
    body: { ...userDocument(member), access_level: state.levels.get(member) ?? 30 },
  }
}

const ISSUE = `${PROJECT}/issues/:iid`

export const GITLAB_ISSUE_ROUTES: readonly GitLabRoute[] = [
  { method: "GET", path: `${PROJECT}/issues`, answer: list },
  {
    method: "GET",
    path: ISSUE,
    answer: ofIssue((issue) => ({ status: 200, body: issueDocument(issue) })),
  },
  { method: "PUT", path: ISSUE, answer: change },
  { method: "GET", path: `${ISSUE}/notes`, answer: listNotes },
  { method: "POST", path: `${ISSUE}/notes`, answer: addNote },
  { method: "DELETE", path: `${ISSUE}/notes/:id`, answer: removeNote },
  { method: "GET", path: `${PROJECT}/members/all/:id`, answer: findMember },
]
