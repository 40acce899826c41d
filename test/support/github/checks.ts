/** Check runs and statuses of commits. */
import type { CheckRunState } from "../forge/pulls.ts"
import type { Call, Reply, Route } from "./route.ts"

const ofCommit = ({ params, state }: Call, isStatus: boolean) =>
  state.pulls.runs.filter(
    (run) => run.commit === params["ref"] && (run.isStatus ?? false) === isStatus,
  )

const runDocument = ({ name, commit, conclusion, summary }: CheckRunState) => ({
  name,
  head_sha: commit,
  conclusion,
  html_url: `https://github.example/checks/${name}`,
  status: conclusion === null ? "in_progress" : "completed",
  output: { title: null, summary },
})

function listRuns(call: Call): Reply {
  const check_runs = ofCommit(call, false).map(runDocument)
  return { status: 200, body: { total_count: check_runs.length, check_runs } }
}

type Conclusion = CheckRunState["conclusion"]

function addRun({ body, state }: Call): Reply {
  const { name, head_sha: commit, conclusion = null, output } = body
  const { summary = "" } = Object(output)
  const words = { name: String(name), commit: String(commit), summary: String(summary) }
  const run: CheckRunState = { ...words, conclusion: conclusion as Conclusion }
  state.pulls.runs.push(run)
  return { status: 201, body: runDocument(run) }
}

const statusDocument = ({ name, conclusion, summary }: CheckRunState) => ({
  context: name,
  description: summary,
  target_url: null,
  state: conclusion ?? "pending",
})

/** GitHub combines the statuses of a commit. */
function listStatuses(call: Call): Reply {
  const statuses = ofCommit(call, true).map(statusDocument)
  const states = statuses.map(({ state }) => state)
  const isPassed = states.length > 0 && states.every((state) => state === "success")
  const state = states.includes("failure") ? "failure" : isPassed ? "success" : "pending"
  return { status: 200, body: { state, total_count: statuses.length, statuses } }
}

/** The newest status of a context counts. */
function addStatus({ body, params, state }: Call): Reply {
  const { context = "default", description = "", state: wanted } = body
  const { ref: commit = "" } = params
  const conclusion = wanted === "pending" ? null : (wanted as Conclusion)
  const words = { name: String(context), commit, summary: String(description) }
  const run: CheckRunState = { ...words, conclusion, isStatus: true }
  const { runs } = state.pulls
  const known = runs.findIndex(
    (one) => one.isStatus && one.name === run.name && one.commit === commit,
  )
  if (known >= 0) runs.splice(known, 1)
  runs.push(run)
  return { status: 201, body: statusDocument(run) }
}

const COMMIT = "/repos/:owner/:repo/commits/:ref"

export const CHECK_ROUTES: readonly Route[] = [
  { method: "GET", path: `${COMMIT}/check-runs`, answer: listRuns },
  { method: "GET", path: `${COMMIT}/status`, answer: listStatuses },
  { method: "POST", path: "/repos/:owner/:repo/check-runs", answer: addRun },
  { method: "POST", path: "/repos/:owner/:repo/statuses/:ref", answer: addStatus },
]
