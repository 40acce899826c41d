/** The changes of a task, and the comments on their lines, which go to its agent as one message. */
import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from "react"
import type { DiffDocument } from "../../src/api/wire/landings.ts"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { clean, reveal } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { Size } from "./attention.tsx"
import {
  type Comment,
  messageOf,
  placeWords,
  putComment,
  removeComments,
  useComments,
} from "./comments.ts"
import { Say } from "./controls.tsx"
import { useFleet } from "./live.ts"
import type { PatchProps, View } from "./patch.tsx"
import { useRead } from "./read.ts"

/** The viewer is most of the page's code, and few pages show changes. */
const Patch = lazy(async (): Promise<{ default: React.ComponentType<PatchProps> }> => {
  const loaded = await import("./patch.tsx").catch(() => undefined)
  return { default: loaded?.Patch ?? Unloaded }
})

/** After an upgrade of Coppice, an open page asks for files that are gone. */
const Unloaded = () => (
  <p className="error">The viewer of changes could not be loaded. Reload this page.</p>
)

const SIDES = { base: "its own work", target: "as it would land now" } as const
const VIEWS = { unified: "one column", split: "side by side" } as const
const VIEW = "coppice-view"
/** Two columns need room. */
const wide = matchMedia("(min-width: 761px)")

const useIsWide = (): boolean => useSyncExternalStore(watchWidth, () => wide.matches)

function watchWidth(watcher: () => void): () => void {
  wide.addEventListener("change", watcher)
  return () => wide.removeEventListener("change", watcher)
}

type Props = { readonly task: TaskDocument }

export function Changes({ task }: Props) {
  const { id } = task
  const scope = `${useFleet().home} ${id}`
  const comments = useComments(scope)
  const commenting = useMemo(
    () => ({
      put: (comment: Comment) => putComment(scope, comment),
      remove: (comment: Comment) => removeComments(scope, [comment]),
    }),
    [scope],
  )
  const isWide = useIsWide()
  const [against, setAgainst] = useState<"base" | "target">("base")
  const [view, setView] = useState<View>(
    localStorage.getItem(VIEW) === "split" ? "split" : "unified",
  )
  const chooseView = (chosen: View) => {
    localStorage.setItem(VIEW, chosen)
    setView(chosen)
  }
  const { document, error } = useRead(id, () => api.diff(id, { against }), against)
  const unsent = comments.length > 0 && <Unsent {...{ task, scope, comments }} />
  if (!document && !error) return <p className="quiet">Reading its changes…</p>
  return (
    <>
      <p className="bar">
        {document && <Size diff={document} />}
        <Chips words={SIDES} now={against} choose={(side) => setAgainst(side)} />
        <span className="view">
          <Chips words={VIEWS} now={view} choose={chooseView} />
        </span>
      </p>
      {error && <p className="error">{error}</p>}
      {document?.repos.map((repo) => (
        <RepoChanges key={repo.name} {...{ id, repo }} isAlone={document.repos.length === 1}>
          <Patch
            text={repo.text}
            repo={repo.name}
            view={isWide ? view : "unified"}
            comments={comments}
            // The agent's files do not have the lines of the view against the target.
            commenting={against === "base" && task.agent !== null ? commenting : undefined}
          />
        </RepoChanges>
      ))}
      {unsent}
    </>
  )
}

type ChipsProps<Name extends string> = {
  readonly words: Readonly<Record<Name, string>>
  readonly now: Name
  choose(name: Name): void
}

function Chips<Name extends string>({ words, now, choose }: ChipsProps<Name>) {
  return (Object.keys(words) as Name[]).map((name) => (
    <button
      key={name}
      type="button"
      className="chip"
      aria-pressed={name === now}
      onClick={() => choose(name)}
    >
      {words[name]}
    </button>
  ))
}

type RepoProps = {
  readonly id: string
  readonly repo: DiffDocument["repos"][number]
  readonly isAlone: boolean
  readonly children: React.ReactNode
}

function RepoChanges({ id, repo, isAlone, children }: RepoProps) {
  return (
    <section aria-label={clean(repo.name)}>
      {!isAlone && <h2>{clean(repo.name)}</h2>}
      {repo.conflicts.map(({ path, kind }) => (
        <p key={path} className="error">
          conflicts with the target: {clean(path)} ({clean(kind)})
        </p>
      ))}
      {repo.notices.map((notice) => (
        <p key={notice} className="quiet">
          {clean(notice)}
        </p>
      ))}
      <Suspense fallback={<p className="quiet">Loading the viewer…</p>}>{children}</Suspense>
      {repo.truncated && (
        <p className="error">
          This is the beginning of a longer diff. <code>coppice diff {id}</code> shows all of it.
        </p>
      )}
    </section>
  )
}

type UnsentProps = Props & { readonly scope: string; readonly comments: readonly Comment[] }

/** Empty comments are not sent; they stay on the page. */
function Unsent({ task, scope, comments }: UnsentProps) {
  const repos = task.repos.length
  const written = comments.filter(({ words }) => words.trim())
  const count = `${written.length} ${written.length === 1 ? "comment" : "comments"}`
  const way = wayFor(task)
  const send = async (words: string) => {
    await way?.run(messageOf(words, written, repos))
    removeComments(scope, written)
  }
  return (
    <section className="card unsent" aria-label="Comments to send">
      <h2>{count} to send</h2>
      <ul>
        {comments.map((comment) => (
          <li key={JSON.stringify({ ...comment, words: "" })}>
            <span className="quiet">{placeWords(comment, repos)}</span>{" "}
            <code>{reveal(comment.quote)}</code> {comment.words}
            <button
              type="button"
              className="plain"
              aria-label={`Remove the comment on ${placeWords(comment, repos)}`}
              onClick={() => removeComments(scope, [comment])}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {way ? (
        written.length > 0 && (
          <Say
            label="Words to go with the comments, if any"
            about={scope}
            buttons={[
              { name: `${way.name} with ${count}`, isMain: true, mayBeEmpty: true, run: send },
            ]}
          />
        )
      ) : (
        <p className="quiet">Its agent takes no messages now. This browser keeps the comments.</p>
      )}
    </section>
  )
}

type Way = { readonly name: string; run(text: string): Promise<unknown> }

/** How a message reaches the agent in this state; undefined if it cannot. */
function wayFor({ id, state, can }: TaskDocument): Way | undefined {
  if (can.includes("reject"))
    return { name: "Reject", run: (feedback) => api.reject(id, { feedback }) }
  if (can.includes("say")) return { name: "Say", run: (text) => api.say(id, { text }) }
  if (can.includes("resume") && (state === "complete" || state === "paused"))
    return { name: "Resume", run: (text) => api.resume(id, { text }) }
  if (can.includes("restart")) return { name: "Restart", run: (text) => api.restart(id, { text }) }
  return undefined
}
