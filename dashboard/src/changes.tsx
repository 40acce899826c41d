/** The changes of a task, and the comments on their lines, which go to its agent as one message. */
import { useMemo, useState } from "react"
import { clean, reveal } from "../../src/core/shown.ts"
import type { Action } from "../../src/core/transitions.ts"
import type { TaskDocument } from "../../src/core/wire/tasks.ts"
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
import { useFleet, useRead } from "./live.ts"
import { Patch } from "./patch.tsx"

type Props = { readonly task: TaskDocument; readonly can: readonly Action[] }

export function Changes({ task, can }: Props) {
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
  const [against, setAgainst] = useState<"base" | "target">("base")
  const { document, error } = useRead(id, () => api.diff(id, { against }), against)
  const unsent = comments.length > 0 && <Unsent {...{ task, can, scope, comments }} />
  if (error)
    return (
      <>
        <p className="error">{error}</p>
        {unsent}
      </>
    )
  if (!document) return <p className="quiet">Reading its changes…</p>
  return (
    <>
      <p className="bar">
        <Size diff={document} />
        {(["base", "target"] as const).map((side) => (
          <button
            key={side}
            type="button"
            className="chip"
            aria-pressed={side === against}
            onClick={() => setAgainst(side)}
          >
            {side === "base" ? "its own work" : "as it would land now"}
          </button>
        ))}
      </p>
      {document.repos.map((repo) => (
        <section key={repo.name} aria-label={clean(repo.name)}>
          {document.repos.length > 1 && <h2>{clean(repo.name)}</h2>}
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
          <Patch
            text={repo.text}
            repo={repo.name}
            comments={comments}
            // Its agent does not have the lines of the other view.
            commenting={against === "base" && task.agent !== null ? commenting : undefined}
          />
          {repo.truncated && (
            <p className="quiet">
              There is more: <code>coppice diff {id}</code>
            </p>
          )}
        </section>
      ))}
      {unsent}
    </>
  )
}

type UnsentProps = Props & { readonly scope: string; readonly comments: readonly Comment[] }

/** Comments without words are not sent, and stay. */
function Unsent({ task, can, scope, comments }: UnsentProps) {
  const repos = task.repos.length
  const written = comments.filter(({ words }) => words.trim())
  const count = `${written.length} ${written.length === 1 ? "comment" : "comments"}`
  const way = wayFor(task, can)
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

/** How words reach its agent in this state, if they can. */
function wayFor({ id, state }: TaskDocument, can: readonly Action[]): Way | undefined {
  if (can.includes("reject"))
    return { name: "Reject", run: (feedback) => api.reject(id, { feedback }) }
  if (can.includes("say")) return { name: "Say", run: (text) => api.say(id, { text }) }
  if (can.includes("resume") && (state === "complete" || state === "paused"))
    return { name: "Resume", run: (text) => api.resume(id, { text }) }
  if (can.includes("restart")) return { name: "Restart", run: (text) => api.restart(id, { text }) }
  return undefined
}
