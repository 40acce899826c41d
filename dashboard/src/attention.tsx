/** The part of a card for a task that needs a person: the reason, and the buttons for it. */

import type { QuestionsDocument } from "../../src/api/wire/agent.ts"
import type { DiffDocument } from "../../src/api/wire/landings.ts"
import type { AlternativesDocument, TaskDocument } from "../../src/api/wire/tasks.ts"
import { clean, reveal } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { Act, Say } from "./controls.tsx"
import { useIsLive } from "./live.ts"
import { useRead } from "./read.ts"
import { NOT_LIVE } from "./request-error.ts"
import { ProposedTask, ToolUse, Words } from "./subject.tsx"
import { dollars, type Line, lastWords, stateWords } from "./words.ts"

export function Attention({ task }: { readonly task: Line }) {
  const { id, state, question, can } = task
  return (
    <>
      {question !== null && <Questions id={id} text={question} />}
      {question !== null && /^(stuck|merge_failed)$/.test(state) && (
        <>
          <p className="why">{lastWords(task)}</p>
          <p className="quiet">
            {state === "stuck" && task.reason?.code !== "budget"
              ? "Its agent has stopped. The answer to its last question starts it again."
              : "Its agent has stopped. It gets your answer when you restart it."}
          </p>
          <Stopped task={task} />
        </>
      )}
      {state === "in_approval" && can.includes("approve") && <Approval id={id} />}
      {state === "planning_complete" && can.includes("approve") && <Plan id={id} />}
      {state !== "merging" && can.includes("reject") && <Reject id={id} />}
      {question === null && state !== "in_approval" && state !== "planning_complete" && (
        <>
          <p className="why">{lastWords(task)}</p>
          <Stopped task={task} />
        </>
      )}
    </>
  )
}

function Stopped({ task }: { readonly task: Line }) {
  const { id, state, can } = task
  if (state !== "stuck" && state !== "merge_failed")
    return (
      <p className="buttons">
        <a className="button" href={`#/task/${id}`}>
          Look at it
        </a>
      </p>
    )
  return (
    <div className="buttons">
      {can.includes("land") && <Act name="Land again" isMain run={() => api.landTask(id)} />}
      {can.includes("restart") && (
        <Say
          label="Words for its agent, if any"
          about={id}
          buttons={[
            {
              name: "Restart",
              mayBeEmpty: true,
              run: (text) => api.restart(id, text ? { text } : {}),
            },
          ]}
        />
      )}
    </div>
  )
}

/** @param text of the first question: all that is known until the daemon answers. */
function Questions({ id, text }: { readonly id: string; readonly text: string }) {
  const { document, error } = useRead(id, () => api.questions(id))
  if (error) return <p className="error">{error}</p>
  if (!document)
    return (
      <>
        <p className="why">{reveal(text)}</p>
        <Reading what="its question" />
      </>
    )
  return document.questions.map((one) => <Question key={one.id} question={one} />)
}

/** In the place of buttons that need an answer of the daemon. */
function Reading({ what }: { readonly what: string }) {
  const isLive = useIsLive()
  const words = isLive ? `Reading ${what}…` : `${NOT_LIVE} The buttons are here when it does.`
  return <p className="quiet">{words}</p>
}

/** The words on the buttons, in the order of the choices. */
const PAIRS = { permission: ["Allow", "Deny"], proposal: ["Accept", "Decline"] } as const

/** A person decides by its text, so all of it is shown, with hidden characters as numbers. */
function Question({ question }: { readonly question: QuestionsDocument["questions"][number] }) {
  const { id, task, kind, text, choices, subject } = question
  const answer = (words: string) => api.answer(task, { answer: words, question: Number(id) })
  return (
    <div className="question">
      {kind === "question" && <p className="why">{reveal(text)}</p>}
      {kind === "permission" && <ToolUse use={subject as never} />}
      {kind === "proposal" && <ProposedTask task={subject as never} />}
      <div className="buttons">
        {choices.map((choice, at) => (
          <Act
            key={choice}
            name={(kind === "question" ? undefined : PAIRS[kind][at]) ?? reveal(choice)}
            run={() => answer(choice)}
          />
        ))}
      </div>
      {kind === "question" && (
        <Say
          label="Answer"
          about={`${task} ${id}`}
          buttons={[{ name: "Answer", isMain: true, run: answer }]}
        />
      )}
    </div>
  )
}

type Alternative = AlternativesDocument["alternatives"][number]

/** Approving one cancels the others, so a person sees them first. */
function Alternatives({ id, all }: { readonly id: string; readonly all: readonly Alternative[] }) {
  if (all.length === 0) return null
  return (
    <>
      <p className="why">One of {all.length} alternatives. Approving it cancels the others:</p>
      <ul>
        {all.map(({ task, agent, state, files, added, removed, gate, costUsd, durationMs }) => (
          <li key={task}>
            <a href={`#/task/${task}`}>{task === id ? "this one" : `task ${task}`}</a>{" "}
            {clean(agent ?? "by hand")}: {stateWords(state)}, {files}{" "}
            {files === 1 ? "file" : "files"}, +{added} −{removed}, gate {gate ?? "not run"},{" "}
            {Math.round(durationMs / 1000)} s{costUsd !== null && `, ${dollars(costUsd)}`}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Approves exactly the commits whose size is shown. */
function Approval({ id }: { readonly id: string }) {
  const { document, error } = useRead(id, async () => {
    const [task, diff] = [await api.show(id), await api.diff(id)]
    return { task, diff, others: (await api.alternatives(id)).alternatives }
  })
  if (error) return <p className="error">{error}</p>
  if (!document) return <Reading what="its changes" />
  const { task, diff, others } = document
  const needsOne = (repo: string) =>
    task.landing?.repos.some(({ name, base }) => name === repo && base !== null)
  const heads = task.repos.flatMap(({ head, name }) =>
    head && needsOne(name) ? [{ head, repo: name }] : [],
  )
  const approve = async () => {
    for (const one of heads) await api.approve(id, one)
  }
  const commits = heads.map(({ head }) => head.slice(0, 8)).join(", ")
  return (
    <>
      <p className="why">
        <Size diff={diff} /> <Onto task={task} />
      </p>
      <Alternatives id={id} all={others} />
      <div className="buttons">
        <Act name={`Approve ${commits}`} isMain run={approve} />
        <a className="button" href={`#/task/${id}/changes`}>
          Changes
        </a>
      </div>
    </>
  )
}

const Reject = ({ id }: { readonly id: string }) => (
  <Say
    label="Say what to change"
    about={id}
    buttons={[{ name: "Reject", run: (feedback) => api.reject(id, { feedback }) }]}
  />
)

const Onto = ({ task }: { readonly task: TaskDocument }) => (
  <span className="quiet">onto {clean(task.repos.map(({ target }) => target).join(", "))}</span>
)

export function Size({ diff }: { readonly diff: DiffDocument }) {
  const files = diff.repos.flatMap((repo) => repo.files)
  const count = diff.repos.reduce((sum, { filesInAll }) => sum + filesInAll, 0)
  const lines = (side: "added" | "removed") =>
    files.reduce((sum, file) => sum + (file[side] ?? 0), 0)
  return (
    <span className="size">
      {count} {count === 1 ? "file" : "files"} <ins>+{lines("added")}</ins>{" "}
      <del>−{lines("removed")}</del>
    </span>
  )
}

/** Approves exactly the plan that is shown. */
function Plan({ id }: { readonly id: string }) {
  const { document, error } = useRead(id, () => api.show(id))
  if (error) return <p className="error">{error}</p>
  if (!document) return <Reading what="its plan" />
  const approve = () => api.approve(id, { plan: document.plan?.id ?? undefined })
  return (
    <>
      <Words text={document.plan?.text ?? ""} />
      <div className="buttons">
        <Act name="Approve plan" isMain run={approve} />
      </div>
    </>
  )
}
