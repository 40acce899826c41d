/** The fleet page: new tasks, schedules, sources, and figures as bars. */

import type { StatusDocument } from "../../src/api/wire/home.ts"
import { clean } from "../../src/base/text/shown.ts"
import { bytesText } from "../../src/base/text/sizes.ts"
import type { ScheduleDocument } from "../../src/features/schedules/wire.ts"
import type { SourceDocument } from "../../src/features/sources/wire.ts"
import type { StatsDocument } from "../../src/features/stats/wire.ts"
import { api } from "./api.ts"
import { Age } from "./board.tsx"
import { shownTime } from "./clock.ts"
import { Act } from "./controls.tsx"
import { Curves } from "./curves.tsx"
import { Heading } from "./heading.tsx"
import { useFleet } from "./live.ts"
import { NewTasks } from "./new-tasks.tsx"
import { EVERY_EVENT, EVERY_TEN_SECONDS, NO_EVENT, useRead } from "./read.ts"
import { dollars, stateWords } from "./words.ts"

const MINUTE_MS = 60_000

export function FleetPage() {
  const { document: status, error } = useRead(EVERY_EVENT, () => api.status())
  const { document: stats } = useRead(EVERY_TEN_SECONDS, () => api.stats())
  return (
    <main className="card-grid">
      <Heading text="Fleet" />
      {error && <p className="error">{error}</p>}
      <NewTasks />
      <Agents stats={stats} limits={status?.limits} />
      {status?.limits && <Limits limits={status.limits} />}
      {status?.schedules?.map((schedule) => (
        <Schedule key={`${schedule.agent}/${schedule.name}`} schedule={schedule} />
      ))}
      {status?.sources?.map((source) => (
        <Source key={source.name} source={source} />
      ))}
      {stats && <Figures stats={stats} />}
      <Worktrees />
    </main>
  )
}

type AgentsProps = {
  readonly stats: StatsDocument | undefined
  readonly limits: StatusDocument["limits"] | undefined
}

function Agents({ stats, limits }: AgentsProps) {
  const tasks = useFleet().list?.tasks ?? []
  const known = [...tasks, ...(stats?.agents ?? [])].flatMap(({ agent }) => agent ?? [])
  const configured = limits?.agents ?? []
  const names = [...new Set([...known, ...configured.map(({ name }) => name)])].sort()
  const atWork = tasks.filter(({ state }) => /^(working|planning)$/.test(state))
  const rows = names.map((name): Row => {
    const count = atWork.filter(({ agent }) => agent === name).length
    const max = configured.find((one) => one.name === name)?.max
    return [name, count, max === undefined ? undefined : `${count} of ${max}`]
  })
  return (
    <Bars
      title="Tasks at work"
      rows={rows}
      note={limits ? `${atWork.length} of ${limits.concurrent} in all` : undefined}
    />
  )
}

function Limits({ limits: { agents, perDay } }: { limits: NonNullable<StatusDocument["limits"]> }) {
  const kept = agents.filter(({ reserve }) => reserve > 0)
  return (
    <>
      <Bars
        title="Used today"
        rows={perDay.map(({ of, used, max }) => {
          const words = AMOUNTS[of]
          return [of, used / max, `${words(used)} of ${words(max)}`]
        })}
        most={1}
        note="of the limits of a day (UTC), by all agents"
      />
      <Bars
        title="Kept for you"
        rows={kept.map(({ name, reserve }) => [name, reserve, `${Math.round(reserve * 100)}%`])}
        most={1}
        note="of the usage limits of each agent's account"
      />
    </>
  )
}

const count = (value: number) => value.toLocaleString("en")
const AMOUNTS = {
  turns: count,
  tokens: count,
  time: (ms: number) => minutes(ms),
  cost: dollars,
} as const

/** Measured once, because a large worktree takes seconds. */
function Worktrees() {
  const { document, error } = useRead(NO_EVENT, () => api.worktrees({ sizes: "true" }))
  if (error) return <p className="error">{error}</p>
  if (!document) return <p className="quiet">Measuring the worktrees…</p>
  const rows = document.worktrees.map(({ path, task, title, bytes }): Row => {
    const name = task === null ? path : `${task} ${title ?? ""}`
    return [name, bytes ?? 0, bytes === null ? "unknown" : bytesText(bytes), path]
  })
  const all = document.worktrees.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  const largest = rows.toSorted(([, one], [, other]) => other - one)
  return <Bars title="Disk per worktree" rows={largest} note={`${bytesText(all)} in all`} />
}

function Schedule({ schedule }: { readonly schedule: ScheduleDocument }) {
  const { agent, name, timing, enabled, nextAt, problem } = schedule
  const ref = `${agent}/${name}`
  return (
    <section className="card" aria-label={`Schedule ${clean(ref)}`}>
      <h2>Schedule {clean(ref)}</h2>
      <p className="facts">
        <span>{clean(timing)}</span>
        <span>{nextAt ? `next ${new Date(nextAt).toLocaleString()}` : "off"}</span>
      </p>
      {problem && <p className="error">{clean(problem)}</p>}
      <p className="buttons">
        <Act
          name={enabled ? "Switch off" : "Switch on"}
          run={() => api.switchSchedule(ref, { enabled: !enabled })}
        />
        <Act name="Trigger" run={() => api.trigger(ref)} />
      </p>
    </section>
  )
}

function Source({ source }: { readonly source: SourceDocument }) {
  const { name, type, open, max, error, problems, polledAt, retryAt } = source
  return (
    <section className="card" aria-label={`Source ${clean(name)}`}>
      <h2>Source {clean(name)}</h2>
      <p className="facts">
        <span>{clean(type)}</span>
        <span>
          {open} of {max} in work
        </span>
        <span>{polledAt ? <PolledAt time={polledAt} /> : "no poll has succeeded"}</span>
        {retryAt && <span>next try {shownTime(retryAt)}</span>}
      </p>
      {[...(error ? [error] : []), ...problems].map((text) => (
        <p key={text} className="error">
          {clean(text)}
        </p>
      ))}
    </section>
  )
}

const PolledAt = ({ time }: { readonly time: string }) => (
  <>
    polled <Age time={time} /> ago
  </>
)

function Figures({ stats: { days, timeToLand, waits, stuck, costs } }: { stats: StatsDocument }) {
  return (
    <>
      {timeToLand && (
        <Curves
          title="Time to land"
          names={["half of the tasks within", "nine of ten within"]}
          days={days.flatMap(({ day, timeToLand: of }) =>
            of ? [{ day, values: [of.medianMs, of.p90Ms] }] : [],
          )}
          words={minutes}
        />
      )}
      <Bars title="Landed per day" rows={days.map(({ day, landed }) => [day, landed, undefined])} />
      <Bars
        title="Waits by reason"
        rows={waits.map(({ reason, totalMs }) => [
          stateWords(reason.toLowerCase()),
          totalMs,
          minutes(totalMs),
        ])}
      />
      <Bars
        title="Stuck"
        rows={stuck.map(({ reason, agent, count }) => [
          `${reason}, ${agent ?? "by hand"}`,
          count,
          undefined,
        ])}
      />
      <Bars
        title="Cost per agent and day"
        rows={costs.map(({ day, agent, costUsd }) => [
          `${day}, ${agent ?? "by hand"}`,
          costUsd,
          dollars(costUsd),
        ])}
      />
    </>
  )
}

const minutes = (ms: number): string => `${(ms / MINUTE_MS).toFixed(1)} min`

/** @param about the tooltip; default: the name. */
type Row = readonly [name: string, value: number, words: string | undefined, about?: string]
type BarsProps = {
  readonly title: string
  readonly rows: readonly Row[]
  readonly note?: string | undefined
  /** The value of a full bar; default: the greatest. */
  readonly most?: number
}

/** Each row has its value in words, so a screen reader skips the bar. */
function Bars({ title, rows, note, most }: BarsProps) {
  const full = most ?? Math.max(1e-9, ...rows.map(([, value]) => value))
  if (rows.length === 0) return null
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {note && <p className="facts">{note}</p>}
      <ul className="bars">
        {rows.map(([name, value, words, about = name]) => (
          <li key={about} title={clean(about)}>
            <span>{clean(name)}</span> <span>{words ?? value}</span>
            <progress aria-hidden="true" max={full} value={value} />
          </li>
        ))}
      </ul>
    </section>
  )
}
