/** The part of a task's page with terminals in its worktrees. */
import { useEffect, useRef, useState } from "react"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { clean } from "../../src/base/text/shown.ts"
import { isReadOnly } from "./api.ts"
import { addTerminal, type PageTerminal, useTerminals } from "./terminals.ts"

const STATE_WORDS = { opening: "Opening…", open: "", lost: "Not connected: ", ended: "" } as const

export function Terminals({ task }: { readonly task: TaskDocument }) {
  const { id, repos, jobs } = task
  const terminals = useTerminals(id)
  const [chosen, choose] = useState<number>()
  if (isReadOnly())
    return <p className="quiet">This link lets you look, so it opens no terminal.</p>
  const shown = terminals.find(({ key }) => key === chosen) ?? terminals.at(-1)
  const open = (repo: string, typed?: string) => choose(addTerminal({ task: id, repo }, typed).key)
  const [first] = repos
  const hasSession = jobs.some(({ sessions }) => sessions.length > 0)
  return (
    <section className="terminals" aria-label="Terminals">
      <div className="buttons">
        {repos.map(({ name }) => (
          <button key={name} type="button" onClick={() => open(name)}>
            {repos.length > 1 ? `New terminal in ${clean(name)}` : "New terminal"}
          </button>
        ))}
        {first && hasSession && (
          <button type="button" onClick={() => open(first.name, `coppice attach ${id}\r`)}>
            Attach
          </button>
        )}
        {terminals.length > 1 &&
          terminals.map((one, at) => (
            <button
              key={one.key}
              type="button"
              aria-pressed={one === shown}
              onClick={() => choose(one.key)}
            >
              Terminal {at + 1}
            </button>
          ))}
      </div>
      {!shown && (
        <p className="quiet">
          A terminal is a shell of yours in the task's worktree. “Attach” types{" "}
          <code>coppice attach {id}</code> in one, which pauses the task while you talk to its
          agent.
        </p>
      )}
      {shown && <OneTerminal key={shown.key} terminal={shown} />}
    </section>
  )
}

function OneTerminal({ terminal }: { readonly terminal: PageTerminal }) {
  const parent = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const gone = new AbortController()
    const leave = () => end.current?.focus()
    void terminal.show(parent.current as HTMLDivElement, gone.signal, leave)
    return () => gone.abort()
  }, [terminal])
  const { state, reason, notice } = terminal
  return (
    <>
      <div ref={parent} className="shell" />
      <div className="buttons">
        <button ref={end} type="button" onClick={() => terminal.end()}>
          {state === "ended" ? "Close" : "End"}
        </button>
        <span role="status" className="quiet">
          {STATE_WORDS[state]}
          {state !== "open" && clean(reason)} {clean(notice)}
          {state === "open" && !notice && "Shift+F6 leaves the terminal by key."}
        </span>
      </div>
    </>
  )
}
