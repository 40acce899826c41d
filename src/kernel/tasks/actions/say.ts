/** Sends a person's message to a task's agent. */

import type { ConfiguredHome } from "../../../api/fleet.ts"
import type { SaidWords } from "../../../api/wire/requests.ts"
import { abilitiesOf } from "../../../config/runtimes.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import { transaction } from "../../store/sql.ts"
import { wordsInstead } from "../../waits/rules/ways-on.ts"
import { addMessage } from "../rows/messages.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { findOpenTurn } from "../rows/turns/find.ts"
import { openReplyTurn } from "../rows/turns/open.ts"
import { type KeptFiles, NO_FILES, withPaths } from "../rules/files.ts"
import { possibleActions, possibleNow } from "../rules/transitions.ts"
import { hasTurns } from "../rules.ts"

type Speaking = FleetRows & Pick<ConfiguredHome, "findAgent">

/**
 * Makes the message the next turn of the same session, after the running one. With `now`, the
 * running turn gets it, or is interrupted so that the next one does. Work in review returns to its agent
 * together with the message. The message is stored until a turn takes it, so it survives the daemon.
 *
 * @param keep writes the files that go with it.
 * @throws {DaemonError} `task.refused` (user) if no agent will have a turn, with an alternative.
 */
export function say(
  { db, world }: FleetRows,
  task: Task,
  { text: said, now = false }: Pick<SaidWords, "text" | "now">,
  keep: () => KeptFiles = () => NO_FILES,
): void {
  if (!possibleActions(task).includes("say")) throw nobodyListens(task)
  transaction(db, () => {
    const nowMs = world.nowMs()
    const kept = keep()
    const text = withPaths(said, kept.paths)
    kept.record(addMessage(db, { task: task.id, text, isNow: now }, nowMs))
    // The agent waits for a person: for an answer, or for an approval of its work.
    if (hasTurns(task.state)) openReplyTurn(db, task.id, nowMs)
    if (task.state !== "in_approval") return
    const landing = findLandingOfTask(db, task.id)
    if (landing?.state !== "in_review") throw nobodyListens(task)
    recordLanding(db, landing, { event: "rejected", reason: text }, nowMs)
    recordTask(db, task, { event: "told" }, nowMs)
    openReplyTurn(db, task.id, nowMs)
  })
}

/** @throws {DaemonError} `task.refused` (user) also if the running agent takes nothing before it ends. */
export function sayNow(
  fleet: Speaking,
  task: Task,
  { text }: Pick<SaidWords, "text">,
  keep?: () => KeptFiles,
): void {
  const agent = fleet.findAgent(task)
  const isDeaf = agent && abilitiesOf(agent.runtime).messages === "none"
  if (isDeaf && (findOpenTurn(fleet.db, task.id)?.begunAtMs ?? null) !== null)
    throw cannotListen(task)
  say(fleet, task, { text, now: true }, keep)
}

const cannotListen = ({ id }: Task): DaemonError =>
  new DaemonError(
    "task.refused",
    `The agent of task ${id} is a command: a run takes no messages.`,
    [
      `\`coppice say ${id} "<message>"\` gives it to its next run.`,
      `\`coppice pause ${id}\` ends this run, then \`coppice resume ${id} "<message>"\` goes on with it.`,
    ],
  )

function nobodyListens(task: Task): DaemonError {
  const { id, state, agent } = task
  const message = `Task ${id} is ${state}: its agent takes no messages.`
  if (agent === null)
    return new DaemonError("task.refused", `No agent does the work of task ${id}.`, [
      possibleNow(task),
    ])
  return new DaemonError("task.refused", message, wordsInstead(task))
}
