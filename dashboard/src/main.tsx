/** The page: logs in, keeps the header, and shows the board or one task. */
import { StrictMode, useEffect, useState } from "react"
import { createRoot } from "react-dom/client"
import { clean } from "../../src/base/text/shown.ts"
import { isReadOnly, logIn, logOut } from "./api.ts"
import { Board } from "./board.tsx"
import { forgetDrafts } from "./drafts.ts"
import { FleetPage } from "./fleet.tsx"
import { HomesPage } from "./homes.tsx"
import { LanePage } from "./lane.tsx"
import { goLive, useFleet } from "./live.ts"
import { PushButton, unsubscribeAll } from "./push.tsx"
import { Refusals } from "./refusals.tsx"
import { NOT_LIVE } from "./request-error.ts"
import { TaskPage } from "./task.tsx"

const LOGIN = "#/login/"
const STATE_WORDS = {
  starting: "Connecting…",
  live: "Live",
  offline: "Not live: this may be old, and the buttons wait.",
  loggedOut: "Logged out",
} as const

function App() {
  const { state, home, list, reason } = useFleet()
  const [, , page, task = "", tab = "talk"] = useHash().split(/[#/]/) // `#/task/<id>/<tab>`
  const [search, setSearch] = useState("")
  const name = clean(home.split("/").at(-1) ?? "")
  if (state === "loggedOut") return <LoggedOut />
  return (
    <>
      <header className="top">
        <a className="brand" href="#/">
          Coppice
        </a>
        <span className="home" title={clean(home)}>
          {name}
        </span>
        <Pages current={page ?? ""} />
        <input
          id="search"
          type="search"
          placeholder="Filter  /"
          aria-label="Filter tasks"
          value={search}
          onChange={({ target }) => {
            setSearch(target.value)
            location.hash = "#/"
          }}
        />
        <span className={`link ${state}`} role="status">
          {STATE_WORDS[state]}
          {state === "offline" && list && ` ${clean(reason) || NOT_LIVE}`}
          {isReadOnly() && " (you can look, and change nothing)"}
        </span>
        <PushButton />
        <button type="button" className="plain" onClick={() => void leave()}>
          Log out
        </button>
      </header>
      <Refusals />
      {page === "landing" && <LanePage />}
      {page === "fleet" && <FleetPage />}
      {page === "homes" && <HomesPage />}
      {page === "task" && <TaskPage key={task} id={task} tab={tab} />}
      {!/^(landing|fleet|homes|task)$/.test(page ?? "") && <Board search={search} />}
      {page !== "homes" && state === "offline" && !list && <Unanswered reason={reason} />}
    </>
  )
}

function Pages({ current }: { readonly current: string }) {
  const pages = { "": "Board", landing: "Landing", fleet: "Fleet", homes: "Homes" }
  const shown = Object.entries(pages).filter(([page]) => page !== "homes" || !isReadOnly())
  return (
    <nav className="pages" aria-label="Pages">
      {shown.map(([page, title]) => (
        <a key={page} href={`#/${page}`} aria-current={page === current ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}

/** The page of a home that was opened while its daemon did not answer. */
function Unanswered({ reason }: { readonly reason: string }) {
  return (
    <section className="message" aria-label="Not live">
      <p>{clean(reason)}</p>
      <a href="/#/homes">All homes</a>
    </section>
  )
}

async function leave(): Promise<void> {
  await unsubscribeAll().catch(() => {})
  await logOut()
  forgetDrafts()
  location.reload()
}

function LoggedOut() {
  return (
    <main className="message">
      <h1>This browser is not logged in</h1>
      <p>
        Run <code>coppice ui</code> in your repository. Its link opens this page once, and then the
        address alone is enough.
      </p>
    </main>
  )
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const onChange = () => setHash(location.hash)
    addEventListener("hashchange", onChange)
    return () => removeEventListener("hashchange", onChange)
  }, [])
  return hash
}

/** Keys that work everywhere, unless a person types. */
addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName)
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Escape" && isTyping) (event.target as HTMLElement).blur()
  else if (event.key === "Escape" || (event.key === "u" && !isTyping)) location.hash = "#/"
  else if (event.key === "/" && !isTyping) {
    event.preventDefault()
    document.getElementById("search")?.focus()
  } else if (!isTyping && /^(j|ArrowDown)$/.test(event.key)) focusCard(event, 1)
  else if (!isTyping && /^(k|ArrowUp)$/.test(event.key)) focusCard(event, -1)
})

/** Moves the focus to the next card, or to the one before. At an end, the page scrolls. */
function focusCard(event: KeyboardEvent, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(".card h3 a")]
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

async function start(): Promise<void> {
  if (location.hash.startsWith(LOGIN)) {
    const code = location.hash.slice(LOGIN.length)
    history.replaceState(null, "", "#/")
    // An old link is no harm to a browser that is logged in already.
    await logIn(code).catch(() => {})
  }
  createRoot(document.getElementById("root") as HTMLElement).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
  await goLive()
}

void start()
