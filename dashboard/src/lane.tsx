/** The landing lane: the queue of each target, and how far each landing has come. */

import type { QueueDocument } from "../../src/api/wire/landings.ts"
import { clean } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { Attention } from "./attention.tsx"
import { Age } from "./board.tsx"
import { Act } from "./controls.tsx"
import { Heading } from "./heading.tsx"
import { useFleet } from "./live.ts"
import { Prose } from "./prose.tsx"
import { EVERY_EVENT, useRead } from "./read.ts"
import { stateWords } from "./words.ts"

type Queue = QueueDocument["queues"][number]
type Landing = Queue["landings"][number]

const STEPS = ["Queue", "Candidate", "Gate", "Published"]
/** The step of each state; every other state stands in the queue. */
const STEP_OF: Readonly<Record<string, number>> = {
  preparing: 1,
  gating: 2,
  publishing: 3,
  cleaning: 3,
}

export function LanePage() {
  const { document, error } = useRead(EVERY_EVENT, () => api.queue())
  const queues = document?.queues.filter(({ landings }) => landings.length > 0)
  return (
    <main className="lanes">
      <Heading text="Landing" />
      {error && <p className="error">{error}</p>}
      {queues?.length === 0 && <p className="quiet">Nothing is landing.</p>}
      <Failed />
      {queues?.map((queue) => (
        <Lane key={`${queue.path} ${queue.target}`} queue={queue} />
      ))}
    </main>
  )
}

/** The tasks that left the queue without landing, and wait for a person. */
function Failed() {
  const tasks = useFleet().list?.tasks.filter(({ state }) => state === "merge_failed") ?? []
  if (tasks.length === 0) return null
  return (
    <section aria-label="Did not land">
      <h2>Did not land</h2>
      <ul className="lane">
        {tasks.map((task) => (
          <li key={task.id} className="card">
            <h3>
              <a href={`#/task/${task.id}`}>{clean(task.title)}</a>
            </h3>
            <Attention task={task} />
            <p className="buttons">
              <ChangesLink task={task.id} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const ChangesLink = ({ task }: { readonly task: string }) => (
  <a className="button" href={`#/task/${task}/changes`}>
    Changes
  </a>
)

function Lane({ queue: { path, target, tip, landings } }: { readonly queue: Queue }) {
  const name = `${clean(path.split("/").at(-1) ?? "")} → ${clean(target)}`
  const line = landings.filter(({ movable }) => movable).map(({ task }) => task)
  return (
    <section aria-label={name}>
      <h2 title={clean(path)}>
        {name} {tip && <code title="the target's commit">{tip.slice(0, 8)}</code>}
      </h2>
      <ol className="lane">
        {landings.map((landing) => (
          <Place key={landing.id} landing={landing} line={line} />
        ))}
      </ol>
    </section>
  )
}

type PlaceProps = { readonly landing: Landing; readonly line: readonly string[] }

function Place({ landing, line }: PlaceProps) {
  const { task, title, state, since, waitingFor, unblock, priority, candidate, base } = landing
  const at = STEP_OF[state] ?? 0
  const asking = useFleet().list?.tasks.find(({ id, attention }) => id === task && attention)
  return (
    <li className="card">
      <h3>
        <a href={`#/task/${task}`}>{clean(title)}</a>
      </h3>
      <ol className="steps">
        {STEPS.map((step, index) => (
          <li
            key={step}
            className={index <= at ? "reached" : ""}
            aria-current={index === at ? "step" : undefined}
          >
            {step}
          </li>
        ))}
      </ol>
      <p className="facts">
        <span className="state">{stateWords(state)}</span>
        <Age time={since} />
        {candidate && base && (
          <span>
            <code>{candidate.slice(0, 8)}</code> on <code>{base.slice(0, 8)}</code>
          </span>
        )}
        {priority !== 0 && <span>priority {priority}</span>}
        <span className="id">{task}</span>
      </p>
      {waitingFor && (
        <p className="last">
          Waits for <Prose text={waitingFor} />.
        </p>
      )}
      {unblock && (
        <p className="last">
          Unblock: <Prose text={unblock} />.
        </p>
      )}
      {asking && <Attention task={asking} />}
      <div className="buttons">
        {asking?.state !== "in_approval" && <ChangesLink task={task} />}
        <Controls task={task} />
        <Moves task={task} line={line} />
      </div>
    </li>
  )
}

function Controls({ task }: { readonly task: string }) {
  const { can = [] } = useFleet().list?.tasks.find(({ id }) => id === task) ?? {}
  return (
    <>
      {can.includes("pause") && <Act name="Pause" run={() => api.pause(task)} />}
      {can.includes("resume") && <Act name="Resume" run={() => api.resume(task)} />}
    </>
  )
}

/** Places are named by neighbours: the line may have changed since it was shown. */
function Moves({ task, line }: { readonly task: string; readonly line: readonly string[] }) {
  const at = line.indexOf(task)
  const [before, after] = [line[at - 1], line[at + 1]]
  if (at < 0) return null
  return (
    <>
      {at > 1 && <Act name="First" run={() => api.moveInQueue(task, { at: "first" })} />}
      {before && (
        <Act name="Earlier" run={() => api.moveInQueue(task, { at: "before", task: before })} />
      )}
      {after && (
        <Act name="Later" run={() => api.moveInQueue(task, { at: "after", task: after })} />
      )}
    </>
  )
}
