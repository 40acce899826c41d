/** The page of one task: its conversation, its changes, its history, and the actions on it. */

import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { clean } from "../../src/base/text/shown.ts"
import { standInWords, workedBy } from "../../src/kernel/tasks/rules/fallback.ts"
import { api } from "./api.ts"
import { Attention } from "./attention.tsx"
import { Age } from "./board.tsx"
import { Changes } from "./changes.tsx"
import { Act, Say } from "./controls.tsx"
import { Family } from "./family.tsx"
import { sendable } from "./files.ts"
import { Heading } from "./heading.tsx"
import { History } from "./history.tsx"
import { useFleet } from "./live.ts"
import { Prose } from "./prose.tsx"
import { useRead } from "./read.ts"
import { RequestError } from "./request-error.ts"
import { Runs } from "./runs.tsx"
import { Talk } from "./talk.tsx"
import { TaskFiles } from "./task-files.tsx"
import { Terminals } from "./terminal.tsx"
import { dollars, stateWords, toneOf } from "./words.ts"

const TABS = {
  talk: "Conversation",
  changes: "Changes",
  runs: "Runs",
  terminal: "Terminal",
  history: "History",
} as const
export function TaskPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const { document: task, error } = useRead(id, () => api.show(id))
  const line = useFleet().list?.tasks.find((one) => one.id === id)
  if (!task)
    return (
      <main className="message">
        {error && <Heading text={`Task ${id}`} />}
        <p>
          <Prose text={error} />
        </p>
        <a href="#/">All tasks</a>
      </main>
    )
  return (
    <main className="task">
      <p className="back">
        <a href="#/">All tasks</a>
      </p>
      <Heading text={task.title} />
      <p className={`facts ${line ? toneOf(line) : ""}`}>
        <span className="state">{line?.question ? "asks you" : stateWords(task.state)}</span>
        <span>{clean(task.agent === null ? "by hand" : workedBy(task.agent, task.standIn))}</span>
        <Age time={task.updatedAt} />
        <span className="id">task {id}</span>
      </p>
      {line?.attention && (
        <section className="card ask" aria-label="Needs you">
          <Attention task={line} />
        </section>
      )}
      <div className="sides">
        <div className="parts">
          <nav className="tabs" aria-label="Parts of the task">
            {Object.entries(TABS).map(([name, title]) => (
              <a
                key={name}
                className="tab"
                href={`#/task/${id}/${name}`}
                aria-current={name === tab ? "page" : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          {tab === "talk" && <Talk id={id} />}
          {tab === "changes" && <Changes task={task} />}
          {tab === "runs" && <Runs task={task} />}
          {tab === "terminal" && <Terminals task={task} />}
          {tab === "history" && <History id={id} />}
        </div>
        <aside className="acts" aria-label="Your part">
          <Actions task={task} />
          <Why id={id} />
        </aside>
        <aside className="about" aria-label="About the task">
          <Family id={id} />
          <Facts task={task} />
          <TaskFiles id={id} />
        </aside>
      </div>
    </main>
  )
}

function Actions({ task }: { readonly task: TaskDocument }) {
  const { id, state, landing, can } = task
  const isOver = state === "complete"
  const talks = [
    ...(can.includes("say")
      ? [{ name: "Say", run: (text: string, files: readonly File[]) => sayWith(id, text, files) }]
      : []),
    ...(can.includes("say") && state !== "in_approval"
      ? [
          {
            name: "Say now",
            run: (text: string, files: readonly File[]) => sayWith(id, text, files, { now: true }),
          },
        ]
      : []),
    ...(can.includes("restart") && state !== "stuck" && state !== "merge_failed"
      ? [
          {
            name: "Restart",
            mayBeEmpty: true,
            run: (text: string) => api.restart(id, text ? { text } : {}),
          },
        ]
      : []),
    ...(can.includes("resume") && isOver
      ? [{ name: "Resume", run: (text: string) => api.resume(id, { text }) }]
      : []),
  ]
  return (
    <section aria-label="Actions">
      {talks.length > 0 && (
        <Say
          about={id}
          label="A message for its agent"
          buttons={talks}
          takesFiles={can.includes("say")}
        />
      )}
      <div className="buttons">
        {can.includes("resume") && !isOver && (
          <Act name="Resume" isMain run={() => api.resume(id)} />
        )}
        {can.includes("land") && state !== "in_approval" && state !== "merge_failed" && (
          <Act name="Land" run={() => api.landTask(id)} />
        )}
        {can.includes("pause") && <Act name="Pause" run={() => api.pause(id)} />}
        {can.includes("cancel") && (
          <Act name="Cancel" confirm="Give it up?" run={() => api.cancel(id)} />
        )}
        {can.includes("cancel") && task.children.length > 0 && (
          <Act
            name="Cancel all"
            confirm="Give it and its sub-tasks up?"
            run={() => api.cancel(id, { tree: true })}
          />
        )}
        {isOver && landing?.outcome === "LANDED" && <Undo id={id} />}
        {can.includes("delete") && (
          <Act
            name="Delete"
            confirm="Delete it, with its worktree and branch?"
            run={() => deleteTask(id)}
          />
        )}
      </div>
    </section>
  )
}

async function sayWith(id: string, text: string, files: readonly File[], how = {}) {
  return await api.say(id, { text, ...how, ...(await sendable(files)) })
}

/** The task's work is saved under a rescue ref first, unless it landed. */
async function deleteTask(id: string): Promise<void> {
  const { deletion } = await api.delete(id, {})
  if (deletion?.state === "failed") throw new RequestError("task.refused", deletion.reason ?? "")
  location.hash = "#/"
}

/** Reverts exactly the landing that was shown. */
function Undo({ id }: { readonly id: string }) {
  const { document } = useRead(id, () => api.planUndo(id))
  const commits = document?.repos.reduce((sum, { commits }) => sum + commits, 0)
  if (!document) return null
  return (
    <Act
      name="Undo"
      confirm={`Revert ${commits} ${commits === 1 ? "commit" : "commits"}?`}
      run={() => api.undo(`landing:${document.landing}`)}
    />
  )
}

function Why({ id }: { readonly id: string }) {
  const { document } = useRead(id, () => api.why(id))
  if (!document?.waitingFor) return null
  return (
    <section aria-label="Waits for">
      <h2>Waits for</h2>
      <p className="why">
        <Prose text={document.waitingFor} />
      </p>
      {document.unblock && (
        <p className="quiet">
          Unblock: <Prose text={document.unblock} />
        </p>
      )}
      {document.paths.map((path) => (
        <code key={path}>{clean(path)}</code>
      ))}
    </section>
  )
}

function Facts({ task }: { readonly task: TaskDocument }) {
  const { usage, repos, jobs, landing, createdAt } = task
  return (
    <section aria-label="Facts">
      <h2>Facts</h2>
      <dl>
        {repos.map(({ name, branch, target, worktree, head }) => (
          <Fact key={name} name={clean(name)}>
            {clean(branch ?? "no branch")} {head && <code>{head.slice(0, 8)}</code>} →{" "}
            {clean(target)}
            {worktree && <code className="path">{clean(worktree)}</code>}
          </Fact>
        ))}
        {task.standIn && (
          <Fact name="taken over">{clean(standInWords(task.agent, task.standIn))}</Fact>
        )}
        <Fact name="turns">
          {usage.turns} in {jobs.length} {jobs.length === 1 ? "job" : "jobs"}
        </Fact>
        {usage.outputTokens > 0 && (
          <Fact name="tokens">
            {usage.inputTokens.toLocaleString()} in, {usage.outputTokens.toLocaleString()} out
          </Fact>
        )}
        {usage.costUsd !== null && <Fact name="cost">{dollars(usage.costUsd)}</Fact>}
        {landing && <Fact name="landing">{landingWords(landing)}</Fact>}
        {task.reviews.map(({ reviewer, by, state, comments, commits }) => (
          <Fact key={`${reviewer} ${commits.map(({ head }) => head).join()}`} name="review">
            {clean(reviewer)}
            {by !== null && <a href={`#/task/${by}`}> (task {by})</a>}: {reviewWords(state)}
            {comments && (
              <span className="quiet"> {clean(comments).slice(0, COMMENTS_CHARS_MAX)}</span>
            )}
          </Fact>
        ))}
        {task.reviewOf !== null && (
          <Fact name="review of">
            <a href={`#/task/${task.reviewOf}`}>task {task.reviewOf}</a>
          </Fact>
        )}
        <Fact name="made">
          <Age time={createdAt} /> ago
        </Fact>
      </dl>
    </section>
  )
}

function landingWords({ id, state, handbacks }: NonNullable<TaskDocument["landing"]>): string {
  const words = `${id}: ${state.replaceAll("_", " ")}`
  if (handbacks === 0) return words
  const times = handbacks === 1 ? "once" : `${handbacks} times`
  return state === "handed_back" ? `${words} ${times}` : `${words}, handed back ${times}`
}

/** The whole text is in the reviewer's task. */
const COMMENTS_CHARS_MAX = 300

const reviewWords = (state: TaskDocument["reviews"][number]["state"]) =>
  state === "changes" ? "wants changes." : state === "failed" ? "no verdict." : `${state}.`

const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: React.ReactNode
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
