/** The board: every task as a card, those that need a person first. */
import { memo, useId, useMemo, useState } from "react"
import { clean } from "../../src/base/text/shown.ts"
import { CAUSES, workedBy } from "../../src/kernel/tasks/rules/fallback.ts"
import { api } from "./api.ts"
import { Attention } from "./attention.tsx"
import {
  type Column,
  columnsOf,
  GROUPINGS,
  type Grouping,
  type Placed,
  withoutEarlier,
} from "./board-columns.ts"
import { useClock } from "./clock.ts"
import { Act } from "./controls.tsx"
import { Heading } from "./heading.tsx"
import { useFleet } from "./live.ts"
import { LiveWork, type Work } from "./live-work.tsx"
import { NewTasks } from "./new-tasks.tsx"
import { pathOfHome } from "./place.ts"
import { EVERY_TEN_SECONDS, useRead } from "./read.ts"
import { age, dollars, type Line, lastWords, stateWords, toneOf } from "./words.ts"

/** Where the browser keeps the grouping. */
const GROUPING = "coppice-group-by"
/** Done tasks shown at first. People rarely look for earlier ones, which come page by page. */
const DONE_FIRST = 20
const DONE_PAGE = 100
/** Cards of deeper sub-tasks would become too narrow. */
export const DEPTH_MAX = 3

export function Board({ search }: { readonly search: string }) {
  const { list } = useFleet()
  const [agent, setAgent] = useState("")
  const [doneMax, setDoneMax] = useState(DONE_FIRST)
  const showEarlier = () => setDoneMax(doneMax + DONE_PAGE)
  const [by, setBy] = useState(() => readGrouping())
  const groupBy = (grouping: Grouping) => {
    localStorage.setItem(GROUPING, grouping)
    setBy(grouping)
  }
  const { document: live } = useRead(EVERY_TEN_SECONDS, () => api.liveWork())
  const workOf = useMemo(() => new Map(live?.tasks.map((work) => [work.task, work])), [live])
  if (!list) return <main className="message" />
  const agents = [...new Set(list.tasks.flatMap(({ agent }) => agent ?? []))].sort()
  const found = list.tasks.filter(
    (task) => isFound(task, search) && (!agent || task.agent === agent),
  )
  const [needing, ...columns] = columnsOf(found, by)
  const card = ({ task, depth }: Placed) => (
    <Card key={task.id} task={task} depth={depth} work={workOf.get(task.id)} />
  )
  return (
    <main>
      <Heading text="Tasks" isHidden />
      {list.tasks.length === 0 && <Empty />}
      {list.tasks.length > 0 && <Bar {...{ agents, agent, setAgent, by, setBy: groupBy }} />}
      {list.unreadable?.map(({ task, error }) => (
        <p key={task} className="error">
          Task {task} cannot be read: {clean(error)}
        </p>
      ))}
      {needing && needing.tasks.length > 0 && <Group {...needing}>{needing.tasks.map(card)}</Group>}
      <div className="columns">
        {columns.map((column) => {
          const shown = withoutEarlier(column.tasks, doneMax)
          return (
            column.tasks.length > 0 && (
              <Group key={column.title} {...column}>
                {shown.map(card)}
                <Earlier count={column.tasks.length - shown.length} show={showEarlier} />
              </Group>
            )
          )
        })}
      </div>
      {list.tasks.length > 0 && found.length === 0 && <p className="quiet">No such tasks.</p>}
    </main>
  )
}

const readGrouping = (): Grouping =>
  GROUPINGS.find((name) => name === localStorage.getItem(GROUPING)) ?? "state"

function Earlier({ count, show }: { readonly count: number; readonly show: () => void }) {
  if (count === 0) return null
  return (
    <button type="button" className="plain" onClick={show}>
      Show {Math.min(count, DONE_PAGE)} of {count} earlier
    </button>
  )
}

type BarProps = {
  readonly agents: readonly string[]
  readonly agent: string
  readonly by: Grouping
  setAgent(agent: string): void
  setBy(by: Grouping): void
}

function Bar({ agents, agent, by, setAgent, setBy }: BarProps) {
  return (
    <nav className="agents" aria-label="Agents and groups">
      {agents.length > 1 &&
        ["", ...agents].map((name) => (
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
      <label className="by">
        Group by{" "}
        <select value={by} onChange={({ target }) => setBy(target.value as Grouping)}>
          {GROUPINGS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </nav>
  )
}

function Empty() {
  return (
    <div className="empty">
      <section>
        <h2>No tasks yet</h2>
        <p>
          Run your first task here, or with <code>coppice run "Fix the word count"</code> in the
          repository.
        </p>
      </section>
      <NewTasks />
      <section>
        <h2>Or look first</h2>
        <p>
          The demo starts four tasks on a scratch repository. A script plays the agent, so it needs
          no account.
        </p>
        <p className="buttons">
          <Act name="Try the demo" run={openDemo} />
        </p>
      </section>
    </div>
  )
}

/** The demo has a home and a daemon of its own. If its state is elsewhere, the link logs this browser in. */
async function openDemo(): Promise<void> {
  const { url, home } = await api.demo()
  location.assign(home === null ? url : pathOfHome(home))
}

type GroupProps = Column & { readonly children: React.ReactNode }

function Group({ name, title, tasks, children }: GroupProps) {
  const id = useId()
  return (
    <section className={`group ${name}`} aria-labelledby={id}>
      <h2 id={id}>
        {clean(title)} <span className="count">{tasks.length}</span>
      </h2>
      <div className="cards">{children}</div>
    </section>
  )
}

function isFound(task: Line, search: string): boolean {
  if (search.trim() === "") return true
  const text = [
    task.id,
    task.title,
    task.workItem,
    task.agent,
    ...task.repos,
    stateWords(task.state),
    lastWords(task),
  ].join(" ")
  return text.toLowerCase().includes(search.trim().toLowerCase())
}

/** A task that has not changed is the same object. */
const Card = memo(ShownCard)

type CardProps = { readonly task: Line; readonly depth: number; readonly work: Work | undefined }

/** @param depth how many of its ancestors are shown above it. */
function ShownCard({ task, depth, work }: CardProps) {
  const {
    id,
    title,
    agent,
    standIn,
    state,
    turns,
    costUsd,
    updatedAt,
    attention,
    deletion,
    question,
  } = task
  return (
    <article className={`card ${toneOf(task)} depth-${Math.min(depth, DEPTH_MAX)}`}>
      <h3>
        <a href={`#/task/${id}`}>{clean(title)}</a>
      </h3>
      <p className="facts">
        <span className="state">
          {deletion ? "being deleted" : question ? "asks you" : stateWords(state)}
        </span>
        {task.workItem !== null && <span>{clean(task.workItem)}</span>}
        {turns > 1 && <span>turn {turns}</span>}
        <span>{clean(agent === null ? "by hand" : workedBy(agent, standIn))}</span>
        {standIn && (
          <span title={clean(standIn.text)}>{clean(`${agent} is ${CAUSES[standIn.cause]}`)}</span>
        )}
        <Age time={updatedAt} />
        {costUsd !== null && <span>{dollars(costUsd)}</span>}
        {task.parent !== null && <span>part of {task.parent}</span>}
        <span className="id">{id}</span>
      </p>
      {work && <LiveWork work={work} isSized={state !== "in_approval"} />}
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
