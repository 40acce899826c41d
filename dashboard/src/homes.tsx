/** All homes of this person: the counts of each, and the tasks that need the person. */

import type { HomeSummariesDocument } from "../../src/api/wire/home.ts"
import { clean } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { Heading } from "./heading.tsx"
import { BASE, pathOfHome } from "./place.ts"
import { EVERY_TEN_SECONDS, useRead } from "./read.ts"
import { lastWords, stateWords, toneOf } from "./words.ts"

type Home = HomeSummariesDocument["homes"][number]

export function HomesPage() {
  const { document, error } = useRead(EVERY_TEN_SECONDS, () => api.homes())
  const homes = document?.homes.toSorted(
    (one, other) => other.needing.length - one.needing.length || one.home.localeCompare(other.home),
  )
  return (
    <main className="card-grid">
      <Heading text="Homes" />
      {error && <p className="error">{error}</p>}
      {homes?.map((home) => (
        <HomeCard key={home.id} home={home} />
      ))}
    </main>
  )
}

function HomeCard({ home: { id, home, running, own, problem, counts, needing } }: { home: Home }) {
  const name = clean(home.split("/").at(-1) ?? home)
  const path = own ? "/" : pathOfHome(id)
  const isShown = path === `${BASE}/`
  return (
    <section className="card" aria-label={clean(home)}>
      <h2>{name}</h2>
      <p className="facts">
        <code>{clean(home)}</code>
        {Object.entries(counts).map(([group, count]) => (
          <span key={group}>
            {count} {group}
          </span>
        ))}
      </p>
      {problem && <p className="error">{clean(problem)}</p>}
      {needing.length > 0 && (
        <ul className="family">
          {needing.map((task) => (
            <li key={task.id} className={toneOf(task)}>
              {running ? (
                <a href={`${path}#/task/${task.id}`}>{clean(task.title)}</a>
              ) : (
                clean(task.title)
              )}{" "}
              <span className="facts">
                <span className="state">{task.question ? "asks you" : stateWords(task.state)}</span>{" "}
                {clean(task.question ?? lastWords(task))}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="buttons">
        {running ? (
          <a className={isShown ? "button" : "button main"} href={`${path}#/`}>
            {isShown ? "This home" : `Open ${name}`}
          </a>
        ) : (
          <span className="quiet">
            Stopped: no daemon runs. <code>coppice up -d</code> there starts one.
          </span>
        )}
      </p>
    </section>
  )
}
