/** Reviews of GitLab's merge requests, which are system notes, their comments, and statuses of commits. */
import type { Reply } from "../api-server.ts"
import type { CheckRunState, PullState } from "../forge/pulls.ts"
import { about, PULL, type PullNote, refusal, see } from "./pulls.ts"
import {
  type GitLabCall,
  type GitLabRoute,
  type GitLabState,
  MISSING,
  PROJECT,
  userDocument,
} from "./route.ts"

const WORDS = {
  approved: "approved this merge request",
  unapproved: "unapproved this merge request",
  changes_requested: "requested changes",
}

/** A person reviews the merge request as it is now. */
export function reviewPull(
  state: GitLabState,
  pull: PullState,
  verdict: keyof typeof WORDS,
  author = "ada",
): void {
  see(state, pull)
  const { approvedBy } = state.merges.of(pull)
  if (verdict === "approved") approvedBy.add(author)
  else approvedBy.delete(author)
  state.merges.note(pull, { author, body: WORDS[verdict], system: true })
}

const noteDocument = (
  { path, line, resolved = false, ...note }: PullNote,
  { number }: PullState,
) => ({
  id: note.id,
  body: note.body,
  system: note.system,
  type: path === undefined ? null : "DiffNote",
  resolvable: path !== undefined,
  resolved: path === undefined ? undefined : resolved,
  position:
    path === undefined
      ? undefined
      : { new_path: path, old_path: path, new_line: line ?? null, old_line: null },
  author: userDocument(note.author),
  created_at: new Date(note.createdAtMs).toISOString(),
  updated_at: new Date(note.createdAtMs).toISOString(),
  noteable_type: "MergeRequest",
  noteable_iid: number,
  project_id: 1,
})

const listNotes = about(({ query, state }, pull) => {
  const all = state.merges.of(pull).notes.map((note) => noteDocument(note, pull))
  return { status: 200, body: query.get("sort") === "asc" ? all : all.reverse() }
})

const listVersions = about(({ state }, pull) => {
  const versions = state.merges.of(pull).versions.map(({ head, atMs }, id) => ({
    id,
    head_commit_sha: head,
    created_at: new Date(atMs).toISOString(),
  }))
  return { status: 200, body: versions.reverse() }
})

const addNote = about(({ body, login, state }, pull) => {
  const made = state.merges.note(pull, { author: login, body: String(body["body"]) })
  return { status: 201, body: noteDocument(made, pull) }
})

function approvalsOf({ merges }: GitLabState, pull: PullState): Reply["body"] {
  const users = [...merges.of(pull).approvedBy].map(userDocument)
  return {
    iid: pull.number,
    project_id: 1,
    title: pull.title,
    approved: users.length > 0,
    approvals_required: 0,
    approvals_left: 0,
    approved_by: users.map((user) => ({ user })),
  }
}

const listApprovals = about(({ state }, pull) => ({ status: 200, body: approvalsOf(state, pull) }))

/** GitLab refuses an approval of another commit than the one that the reviewer saw. */
const approve = about(({ body, login, state }, pull) => {
  const { sha } = body
  if (sha !== undefined && sha !== state.pulls.headOf(pull))
    return refusal(409, "SHA does not match HEAD of source branch")
  if (state.merges.of(pull).approvedBy.has(login)) return refusal(401, "401 Unauthorized")
  reviewPull(state, pull, "approved", login)
  return { status: 201, body: approvalsOf(state, pull) }
})

const unapprove = about(({ login, state }, pull) => {
  if (!state.merges.of(pull).approvedBy.has(login)) return MISSING
  reviewPull(state, pull, "unapproved", login)
  return { status: 201, body: approvalsOf(state, pull) }
})

/** Every name of a check is one status; `conclusion` has GitHub's words. */
const STATUS = { success: "success", failure: "failed" }

const statusDocument = (
  { name, conclusion, summary, commit, ...run }: CheckRunState,
  at: number,
) => ({
  id: at + 1,
  sha: commit,
  ref: "work",
  name,
  status: run.gitlab ?? (conclusion === null ? "running" : STATUS[conclusion]),
  allow_failure: run.mayFail ?? false,
  description: summary,
  target_url: `https://gitlab.example/jobs/${name}`,
  author: userDocument("robot"),
})

function listStatuses({ params, state }: GitLabCall): Reply {
  const all = state.pulls.runs.map(statusDocument)
  return { status: 200, body: all.filter(({ sha }) => sha === params["commit"]) }
}

const STATES = ["pending", "running", "success", "failed", "canceled", "skipped"]

/** The newest status of a name is the one that counts. */
function addStatus({ body, params, state }: GitLabCall): Reply {
  const gitlab = String(body["state"])
  if (!STATES.includes(gitlab)) return refusal(400, "state does not have a valid value")
  const name = String(body["name"] ?? body["context"] ?? "default")
  const { commit = "" } = params
  const { runs } = state.pulls
  const summary = String(body["description"] ?? "")
  const run: CheckRunState = { name, commit, summary, conclusion: null, gitlab }
  const known = runs.findIndex((one) => one.name === name && one.commit === commit)
  if (known >= 0) runs.splice(known, 1)
  runs.push(run)
  return { status: 201, body: statusDocument(run, runs.length - 1) }
}

export const GITLAB_REVIEW_ROUTES: readonly GitLabRoute[] = [
  { method: "GET", path: `${PULL}/notes`, answer: listNotes },
  { method: "POST", path: `${PULL}/notes`, answer: addNote },
  { method: "GET", path: `${PULL}/versions`, answer: listVersions },
  { method: "GET", path: `${PULL}/approvals`, answer: listApprovals },
  { method: "POST", path: `${PULL}/approve`, answer: approve },
  { method: "POST", path: `${PULL}/unapprove`, answer: unapprove },
  { method: "GET", path: `${PROJECT}/repository/commits/:commit/statuses`, answer: listStatuses },
  { method: "POST", path: `${PROJECT}/statuses/:commit`, answer: addStatus },
]
