/** The fleet page: new tasks, schedules, sources, and figures as bars. */
import { useId, useState } from "react"
import { clean } from "../../src/core/shown.ts"
import type { ScheduleDocument } from "../../src/core/wire/schedules.ts"
import type { SourceDocument } from "../../src/core/wire/sources.ts"
import type { StatsDocument } from "../../src/core/wire/stats.ts"
import { api } from "./api.ts"
import { Act } from "./controls.tsx"
import { useFleet, useRead } from "./live.ts"
import { dollars, stateWords } from "./words.ts"

const MINUTE_MS = 60_000

export function FleetPage() {
  const { document: status, error } = useRead("*", () => api.status())
  const { document: stats } = useRead("-", () => api.stats())
  return (
    <main className="fleet">
      <h1>Fleet</h1>
      {error && <p className="error">{error}</p>}
      <NewTasks />
      <Agents stats={stats} />
      {status?.schedules?.map((schedule) => (
        <Schedule key={`${schedule.agent}/${schedule.name}`} schedule={schedule} />
      ))}
      {status?.sources?.map((source) => (
        <Source key={source.name} source={source} />
      ))}
      {stats && <Figures stats={stats} />}
    </main>
  )
}

/** Starts one task for each paragraph. Those that started leave the field. */
function NewTasks() {
  const id = useId()
  const [text, setText] = useState("")
  const prompts = text.split(/\n\s*\n/).filter((prompt) => prompt.trim())
  const start = async () => {
    for (const [at, prompt] of prompts.entries()) {
      await api.create({ prompt: prompt.trim() })
      setText(prompts.slice(at + 1).join("\n\n"))
    }
  }
  return (
    <section className="card">
      <label htmlFor={id}>New tasks, with an empty line between their prompts</label>
      <textarea id={id} rows={4} value={text} onChange={({ target }) => setText(target.value)} />
      {prompts.length > 0 && (
        <Act
          name={prompts.length === 1 ? "Start 1 task" : `Start ${prompts.length} tasks`}
          isMain
          run={start}
        />
      )}
    </section>
  )
}

function Agents({ stats }: { readonly stats: StatsDocument | undefined }) {
  const tasks = useFleet().list?.tasks ?? []
  const names = [
    ...new Set([...tasks, ...(stats?.agents ?? [])].flatMap(({ agent }) => agent ?? [])),
  ].sort()
  const running = (name: string) =>
    tasks.filter(({ agent, state }) => agent === name && /^(working|planning)$/.test(state)).length
  return <Bars title="Tasks at work" rows={names.map((name) => [name, running(name), undefined])} />
}

function Schedule({ schedule }: { readonly schedule: ScheduleDocument }) {
  const { agent, name, timing, enabled, nextAt, problem } = schedule
  const ref = `${agent}/${name}`
  return (
    <section className="card" aria-label={`Schedule ${clean(ref)}`}>
      <h2>{clean(ref)}</h2>
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
  const { name, type, open, max, error, problems } = source
  return (
    <section className="card" aria-label={`Source ${clean(name)}`}>
      <h2>{clean(name)}</h2>
      <p className="facts">
        <span>{clean(type)}</span>
        <span>
          {open} of {max} in work
        </span>
      </p>
      {[...(error ? [error] : []), ...problems].map((text) => (
        <p key={text} className="error">
          {clean(text)}
        </p>
      ))}
    </section>
  )
}

function Figures({ stats: { days, timeToLand, waits, stuck, costs } }: { stats: StatsDocument }) {
  return (
    <>
      {timeToLand && <p>Half of the tasks landed within {minutes(timeToLand.medianMs)}.</p>}
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

type Row = readonly [name: string, value: number, words: string | undefined]

/** Each row says its value in words, so the bar is for the eye alone. */
function Bars({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const most = Math.max(1e-9, ...rows.map(([, value]) => value))
  if (rows.length === 0) return null
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <ul className="bars">
        {rows.map(([name, value, words]) => (
          <li key={name}>
            <span>{clean(name)}</span> <span>{words ?? value}</span>
            <progress aria-hidden="true" max={most} value={value} />
          </li>
        ))}
      </ul>
    </section>
  )
}
