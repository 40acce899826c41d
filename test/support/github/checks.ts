/** Check runs and statuses of commits. */
import type { Call, Reply, Route } from "./route.ts"

const ofCommit = ({ params, state }: Call, isStatus: boolean) =>
  state.pulls.runs.filter(
    (run) => run.commit === params["ref"] && (run.isStatus ?? false) === isStatus,
  )

function listRuns(call: Call): Reply {
  const check_runs = ofCommit(call, false).map(({ name, conclusion, summary }) => ({
    name,
    conclusion,
    html_url: `https://github.example/checks/${name}`,
    status: conclusion === null ? "in_progress" : "completed",
    output: { title: null, summary },
  }))
  return { status: 200, body: { total_count: check_runs.length, check_runs } }
}

function listStatuses(call: Call): Reply {
  const statuses = ofCommit(call, true).map(({ name, conclusion, summary }) => ({
    context: name,
    description: summary,
    target_url: null,
    state: conclusion ?? "pending",
  }))
  return { status: 200, body: { state: "pending", statuses } }
}

const COMMIT = "/repos/:owner/:repo/commits/:ref"

export const CHECK_ROUTES: readonly Route[] = [
  { method: "GET", path: `${COMMIT}/check-runs`, answer: listRuns },
  { method: "GET", path: `${COMMIT}/status`, answer: listStatuses },
]
