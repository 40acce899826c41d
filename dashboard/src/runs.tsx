/** The gates of a task with their output, its jobs and sessions, and its worktrees, ports and processes. */

import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import type { TaskFactsDocument } from "../../src/api/wire/work.ts"
import { clean } from "../../src/base/text/shown.ts"
import { bytesText } from "../../src/base/text/sizes.ts"
import { api } from "./api.ts"
import { shownTime } from "./clock.ts"
import { NO_EVENT, useRead } from "./read.ts"
import { lengthOf } from "./words.ts"

export function Runs({ task }: { readonly task: TaskDocument }) {
  const { id, jobs } = task
  const { document: facts, error } = useRead(id, () => api.facts(id))
  // Measured once, because a large worktree takes seconds.
  const { document: sized } = useRead(NO_EVENT, () => api.facts(id, { sizes: "true" }), id)
  if (error) return <p className="error">{error}</p>
  if (!facts) return null
  return (
    <>
      <section className="runs" aria-label="Gates">
        <h2>Gates</h2>
        {facts.gates.length === 0 && <p className="quiet">No gate has run yet.</p>}
        {facts.gates.map((gate) => (
          <Gate key={gate.at} gate={gate} />
        ))}
      </section>
      <section className="runs" aria-label="Jobs and sessions">
        <h2>Jobs and sessions</h2>
        {jobs.length === 0 && <p className="quiet">Its agent has not started yet.</p>}
        <ul className="family">
          {jobs.map((job) => (
            <li key={job.id}>
              job {job.id}: {clean(job.state)}
              {job.durationMs !== null && ` after ${lengthOf(job.durationMs)}`}
              {job.summary !== null && <p className="quiet">{clean(job.summary)}</p>}
              {job.error !== null && <p className="error">{clean(job.error)}</p>}
              {job.sessions.map((session) => (
                <code key={session} className="path">
                  {clean(session)}
                </code>
              ))}
            </li>
          ))}
        </ul>
      </section>
      <Place facts={facts} sized={sized} />
    </>
  )
}

function Gate({ gate }: { readonly gate: TaskFactsDocument["gates"][number] }) {
  const { at, repo, command, exitCode, durationMs, ownChange, onTarget, output } = gate
  const isGreen = exitCode === 0 && ownChange === null
  const passed = `passed${ownChange === null ? "" : ` on its own change of ${clean(ownChange)}`}`
  const result = exitCode === 0 ? passed : `exit code ${exitCode}`
  return (
    <details className="said tool" open={!isGreen}>
      <summary>
        {shownTime(at)} {repo !== null && `${clean(repo)}: `}
        <span className={isGreen ? "" : "error"}>{result}</span> after{" "}
        {(durationMs / 1000).toFixed(1)}s{onTarget && " on the target alone"}:{" "}
        <code>{clean(command)}</code>
      </summary>
      <pre>{output === null ? "Its output is no longer kept." : clean(output) || "No output."}</pre>
    </details>
  )
}

type PlaceProps = {
  readonly facts: TaskFactsDocument
  readonly sized: TaskFactsDocument | undefined
}

function Place({ facts: { worktrees, ports, processes }, sized }: PlaceProps) {
  if (worktrees.length + ports.length + processes.length === 0) return null
  return (
    <section className="runs" aria-label="Worktrees, ports and processes">
      <h2>Worktrees, ports and processes</h2>
      <ul className="family">
        {worktrees.map(({ repo, path }) => {
          const bytes = sized?.worktrees.find((one) => one.path === path)?.bytes
          return (
            <li key={path}>
              {clean(repo)}
              {bytes ? `: ${bytesText(bytes)}` : ""} <code className="path">{clean(path)}</code>
            </li>
          )
        })}
        {ports.map(({ repo, first, count, served }) => (
          <li key={repo}>
            {clean(repo)}: ports {first} to {first + count - 1}
            {served.map((port) => (
              <a key={port} href={`http://localhost:${port}/`} target="_blank" rel="noreferrer">
                {" "}
                port {port}
              </a>
            ))}
          </li>
        ))}
        {processes.map(({ pid, purpose }) => (
          <li key={pid}>
            process {pid}: {purpose}
          </li>
        ))}
      </ul>
    </section>
  )
}
