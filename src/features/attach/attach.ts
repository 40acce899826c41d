/**
 * Gives a task's conversation to a person, in the agent's own program, and later back to the task.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Fleet } from "../../api/fleet.ts"
import type { AttachDocument, ToAttach } from "../../api/wire/requests.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows, Home } from "../../kernel/home.ts"
import { readIdentity } from "../../kernel/process/process-identity.ts"
import { isWork } from "../../kernel/process/process-purpose.ts"
import type { Program } from "../../kernel/runtime/runtime.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { listProcesses } from "../../kernel/store/processes.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { untilStored } from "../../kernel/store/wait-until.ts"
import { pause } from "../../kernel/tasks/actions/halt-landing.ts"
import { refuseOpenConversation } from "../../kernel/tasks/actions/refuse-in-use.ts"
import { resume } from "../../kernel/tasks/actions/resume.ts"
import { setAttached } from "../../kernel/tasks/rows/attached.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { latestSession, type Session } from "../../kernel/tasks/rows/sessions/find.ts"
import { findActiveWorkItem } from "../../kernel/tasks/rows/work-item.ts"
import { possibleActions } from "../../kernel/tasks/rules/transitions.ts"
import { folderOf } from "../../kernel/workspaces/workspace-facts.ts"
import { type Attachment, announced, findAttached } from "./attached-program.ts"

type Attaching = FleetRows &
  Pick<Fleet, "stateDir" | "runtime" | "agentConfig" | "agentEnvironment">

/** Ending an agent takes at most 5 s. */
const END_MS_MAX = 10_000

/**
 * Pauses the task, waits until its agent has ended, and returns the command to run. As long as the
 * process `pid` or that program runs, nothing else happens to the task: two programs never share
 * one conversation.
 *
 * @throws {DaemonError} `task.refused` (user), with the reason.
 */
export async function attach(
  fleet: Attaching,
  task: Task,
  { pid }: ToAttach,
): Promise<AttachDocument> {
  const { db } = fleet
  const attachment = attachmentOf(fleet, task, pid)
  const document = describe(fleet, task, attachment)
  const pauses = task.state !== "paused" && possibleActions(task).includes("pause")
  transaction(db, () => {
    if (pauses) pause(fleet, task)
    setAttached(db, task.id, { ...attachment, pauses })
    tell(fleet, task, true)
  })
  const look = () =>
    listProcesses(db).some((one) => one.task === task.id && isWork(one.purpose))
      ? "pending"
      : "free"
  if (await untilStored(db, look, AbortSignal.timeout(END_MS_MAX))) return document
  detach(fleet, findTask(db, task.id) ?? task, { pid })
  throw refused(task, "its agent does not end")
}

/** Ends the attachment now, or once the program has ended if it still runs. */
export function detach(fleet: FleetRows, task: Task, { pid }: ToAttach): void {
  if (task.attached?.pid !== pid) return
  const attached = { ...task.attached, identity: null } // the command has nothing more to do with it
  setAttached(fleet.db, task.id, attached)
  endAttachment(fleet, task, attached)
}

const tell = ({ db, world }: FleetRows, { id: task }: Task, attached: boolean) =>
  appendEvent(db, { type: "task.attached", task, data: { attached } }, world.nowMs())

/** The task continues if it was running when a person attached. */
export function endAttachment(
  fleet: FleetRows,
  task: Task,
  attached: NonNullable<Task["attached"]>,
): void {
  if (findAttached(attached) !== undefined) return
  transaction(fleet.db, () => {
    setAttached(fleet.db, task.id, null)
    tell(fleet, task, false)
    if (attached.pauses && task.state === "paused")
      resume({ ...fleet, findAttached }, { ...task, attached: null })
  })
}

/** The folder in which attached programs write their pids. */
export const attachmentsFolder = ({ stateDir }: Pick<Home, "stateDir">): string =>
  join(stateDir, "attached")

function attachmentOf(fleet: Attaching, { id }: Task, pid: number): Attachment {
  const folder = attachmentsFolder(fleet)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const mark = `attached-${randomBytes(8).toString("hex")}`
  return { pid, identity: readIdentity(pid) ?? null, file: join(folder, `${id}-${mark}`), mark }
}

function describe(fleet: Attaching, task: Task, attachment: Attachment): AttachDocument {
  const session = latestSession(fleet.db, task.id)
  const [repo, ...others] = task.repos
  if (task.agent === null) throw refused(task, "no agent did its work")
  if (!session) throw refused(task, "it has no conversation yet")
  refuseTakenConversation(fleet, task)
  refuseOpenConversation({ ...fleet, findAttached }, task, "attached to")
  const folder = repo && folderOf(task, repo)
  if (!folder || !existsSync(folder))
    throw refused(task, "its worktree is gone", [
      `\`coppice resume ${task.id}\` continues a complete task in a new worktree.`,
    ])
  const otherWorktrees = others.flatMap(({ worktree }) => worktree ?? [])
  const interactive = programOf(fleet, task, session, otherWorktrees)
  const program = announced(interactive, attachment)
  const env = { ...fleet.agentEnvironment(task, repo.name), ...program.env }
  return { task: String(task.id), ...program, env, cwd: folder, sessionId: session.id }
}

/** A later task of its work item has the conversation now. */
function refuseTakenConversation({ db }: FleetRows, task: Task): void {
  const active = task.workItem === null ? undefined : findActiveWorkItem(db, task.workItem)
  if (active === undefined || active === task.id) return
  throw refused(task, `task ${active} continues its conversation`, [
    `\`coppice attach ${active}\` opens it there.`,
  ])
}

function programOf(
  fleet: Attaching,
  task: Task,
  session: Session,
  otherWorktrees: readonly string[],
): Program {
  const runtime = fleet.runtime(fleet.agentConfig(task))
  const found = runtime.interactive(session, otherWorktrees)
  if (found.kind === "none") throw refused(task, found.reason, found.hints)
  return { program: found.program, args: found.args, env: found.env }
}

function refused({ id }: Task, why: string, hints: readonly string[] = []): DaemonError {
  return new DaemonError("task.refused", `Task ${id} cannot be attached to: ${why}.`, hints)
}
