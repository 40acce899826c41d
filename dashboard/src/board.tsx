/** The board: every task as a card, those that need a person first. */
import { memo, useMemo, useState } from "react"
import { clean } from "../../src/core/shown.ts"
import { asTree, grouped } from "../../src/core/task-groups.ts"
import { api } from "./api.ts"
import { Attention } from "./attention.tsx"
import { Act } from "./controls.tsx"
import { NewTasks } from "./fleet.tsx"
import { useClock, useFleet } from "./live.ts"
import { age, dollars, type Line, lastWords, stateWords, toneOf } from "./words.ts"

const TITLES = {
  "needs you": "Needs you",
  running: "Working",
  landing: "Landing",
  waiting: "Waiting",
  done: "Done",
} as const
/** People rarely look for earlier ones, which come page by page. */
const DONE_FIRST = 20
const DONE_PAGE = 100
/** Cards of deeper sub-tasks would become too narrow. */
export const DEPTH_MAX = 3

export function Board({ search }: { readonly search: string }) {
  const { list } = useFleet()
  const [agent, setAgent] = useState("")
  const [doneMax, setDoneMax] = useState(DONE_FIRST)
  const showEarlier = () => setDoneMax(doneMax + DONE_PAGE)
  if (!list) return <main className="message" />
  const agents = [...new Set(list.tasks.flatMap(({ agent }) => agent ?? []))].sort()
  const found = list.tasks.filter(
    (task) => isFound(task, search) && (!agent || task.agent === agent),
  )
  const groups = new Map(
    grouped(found).map(({ group, tasks }) => [group, asTree(tasks.toReversed())]),
  )
  const needing = groups.get("needs you") ?? []
  return (
    <main>
      <h1 className="hidden">Tasks</h1>
      {agents.length > 1 && (
        <nav className="agents" aria-label="Agents">
          {["", ...agents].map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={name === agent}
              onClick={() => setAgent(name)}
            >
              {clean(name) || "all agents"}
            </button>
          ))}
        </nav>
      )}
      {list.tasks.length === 0 && <Empty />}
      {list.unreadable?.map(({ task, error }) => (
        <p key={task} className="error">
          Task {task} cannot be read: {clean(error)}
        </p>
      ))}
      {needing.length > 0 && (
        <Group name="needs you" count={needing.length}>
          {needing.map(({ task, depth }) => (
            <Card key={task.id} task={task} depth={depth} />
          ))}
        </Group>
      )}
      <div className="columns">
        {(["running", "landing", "waiting", "done"] as const).map((name) => {
          const tasks = groups.get(name) ?? []
          const shown = name === "done" ? tasks.slice(0, doneMax) : tasks
          return (
            tasks.length > 0 && (
              <Group key={name} name={name} count={tasks.length}>
                {shown.map(({ task, depth }) => (
                  <Card key={task.id} task={task} depth={depth} />
                ))}
                <Earlier count={tasks.length - shown.length} show={showEarlier} />
              </Group>
            )
          )
        })}
      </div>
      {list.tasks.length > 0 && found.length === 0 && <p className="quiet">No such tasks.</p>}
    </main>
  )
}

function Earlier({ count, show }: { readonly count: number; readonly show: () => void }) {
  if (count === 0) return null
  return (
    <button type="button" className="plain" onClick={show}>
      Show {Math.min(count, DONE_PAGE)} of {count} earlier
    </button>
  )
}

function Empty() {
  return (
    <div className="fleet">
      <section className="message">
        <h2>No tasks yet</h2>
        <p>
          Run your first task here, or with <code>coppice run "Fix the word count"</code> in the
          repository.
        </p>
      </section>
      <NewTasks />
      <section className="message">
        <p>
          The demo starts four tasks on a scratch repository. A script plays the agent, so it needs
          no account.
        </p>
        <Act name="Try the demo" run={openDemo} />
      </section>
    </div>
  )
}

/** The demo has a home and a daemon of its own. The link logs this browser in to it. */
async function openDemo(): Promise<void> {
  const { url } = await api.demo()
  location.assign(url)
}

type GroupProps = {
  readonly name: keyof typeof TITLES
  readonly count: number
  readonly children: React.ReactNode
}

function Group({ name, count, children }: GroupProps) {
  const id = `group-${name.replace(" ", "-")}`
  return (
    <section className={`group ${name.replace(" ", "-")}`} aria-labelledby={id}>
      <h2 id={id}>
        {TITLES[name]} <span className="count">{count}</span>
      </h2>
      <div className="cards">{children}</div>
    </section>
  )
}

function isFound(task: Line, search: string): boolean {
  if (search.trim() === "") return true
  const text = [task.id, task.title, task.agent, stateWords(task.state), lastWords(task)].join(" ")
  return text.toLowerCase().includes(search.trim().toLowerCase())
}

/** A task that has not changed is the same object. */
const Card = memo(ShownCard)

/** @param depth how many of its ancestors are shown above it. */
function ShownCard({ task, depth }: { readonly task: Line; readonly depth: number }) {
  const { id, title, agent, state, turns, costUsd, updatedAt, attention, deletion, question } = task
  return (
    <article className={`card ${toneOf(task)} depth-${Math.min(depth, DEPTH_MAX)}`}>
      <h3>
        <a href={`#/task/${id}`}>{clean(title)}</a>
      </h3>
      <p className="facts">
        <span className="state">
          {deletion ? "being deleted" : question ? "asks you" : stateWords(state)}
        </span>
        {turns > 1 && <span>turn {turns}</span>}
        <span>{clean(agent ?? "by hand")}</span>
        <Age time={updatedAt} />
        {costUsd !== null && <span>{dollars(costUsd)}</span>}
        {task.parent !== null && <span>part of {task.parent}</span>}
        <span className="id">{id}</span>
      </p>
      {attention ? <Attention task={task} /> : <Last text={lastWords(task)} />}
    </article>
  )
}

const Last = ({ text }: { readonly text: string }) => text && <p className="last">{text}</p>

export function Age({ time }: { readonly time: string }) {
  const text = useClock((nowMs) => age(time, nowMs))
  return (
    <time dateTime={time} title={useMemo(() => new Date(time).toLocaleString(), [time])}>
      {text}
    </time>
  )
}
