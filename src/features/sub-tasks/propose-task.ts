/**
 * The verb `propose_task`: an agent proposes another task. A person decides on it, or it starts at once.
 *
 * `agents.<name>.tasks` says which. Beyond its bounds a person decides, so that agents cannot start tasks
 * without end.
 */
import { createHash } from "node:crypto"
import type { Fleet } from "../../api/fleet.ts"
import { turnIsOver, type Verb } from "../../api/verb.ts"
import type { AgentConfig, SubTaskConfig } from "../../config/config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTaskAgain } from "../../kernel/tasks/actions/find-task.ts"
import { findRequestedTask } from "../../kernel/tasks/rows/add.ts"
import { askQuestion } from "../../kernel/tasks/rows/questions/ask.ts"
import { listOpenQuestions } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { ACCEPT, DECLINE } from "../../kernel/tasks/rules/question.ts"
import { refuseLower } from "../stacks/refuse-lower.ts"
import { chooseAgent, hasFewerRights } from "./choose-agent.ts"
import { canWait, createSubTask, type SubTask } from "./create-sub-task.ts"
import { findAfter, findOn } from "./proposed-order.ts"
import { listAbove, listBelow } from "./rows/family.ts"

/** Open proposals per task; a person would not read more. */
const PROPOSALS_MAX = 10

export const proposeTask: Verb<"propose_task"> = async ({ fleet, readTask, input }) => {
  const task = readTask()
  const policy = fleet.findAgent(task)?.tasks
  const turn = findOpenTurn(fleet.db, task.id)
  if (!turn) throw turnIsOver()
  // An agent whose turn is interrupted and repeated proposes the same again.
  const key = `sub-task:${task.id}:${turn.n}:${wordsOf(input)}`
  const before = findRequestedTask(fleet.db, key)
  if (before) return started(before)
  const after = findAfter(fleet, task, input.after)
  const on = findOn(fleet, task, input.on)
  const [lower] = on.tasks
  const chosen = chooseAgent(fleet.config(), task, input.agent)
  if (lower !== undefined) refuseLower(findTaskAgain(fleet, { id: lower }), asUpper(task, chosen))
  // While it plans, a person may still refuse the plan.
  const mayStart =
    policy?.propose === "allow" &&
    task.state === "working" &&
    (chosen !== undefined || !hasFewerRights(fleet.config(), task))
  const waits = after.proposals.length + on.proposals.length > 0
  if (!mayStart || waits || !isWithin(fleet, task, policy)) return propose(fleet, task, input)
  const { title, prompt, agent, report = true } = input
  const proposed: SubTask = { title, prompt, after: after.tasks, on: lower, agent, report }
  // The approved configuration goes on while a person has not approved a change of it.
  const approved = { ...fleet, checkedConfig: fleet.config }
  const made = await createSubTask(approved, task, proposed, {
    key,
    records: () => {
      if (findOpenTurn(fleet.db, task.id)?.n !== turn.n) throw turnIsOver()
      if (!isWithin(fleet, task, policy, 1))
        throw busy(`${policy.countMax} sub-tasks exist already.`)
    },
  })
  return started(made)
}

type Input = Parameters<Verb<"propose_task">>[0]["input"]

const wordsOf = ({ title, prompt, after, on, agent }: Input): string =>
  createHash("sha256")
    .update(JSON.stringify([title, prompt, after, on, agent]))
    .digest("hex")

const started = ({ id }: Task) => ({ heard: true, task: String(id), proposal: null }) as const

function propose({ db, world }: Fleet, task: Task, input: Input) {
  const { id } = task
  return transaction(db, () => {
    const turn = findOpenTurn(db, id)
    if (!turn) throw turnIsOver()
    const open = listOpenQuestions(db, id).filter(({ kind }) => kind === "proposal")
    if (open.length >= PROPOSALS_MAX) throw busy(`${PROPOSALS_MAX} proposals are open already.`)
    const { title, prompt, after, on, agent, report = false } = input
    const place = on === undefined ? "" : ` (starts from the work of ${on})`
    const worker = agent === undefined ? "" : ` (for the agent ${agent})`
    const order = after.length > 0 ? ` (lands after ${after.join(", ")})` : ""
    const asked = {
      task: id,
      turn: turn.n,
      kind: "proposal",
      // The prompt is last: nothing in it looks like what comes before.
      text: `take up a task${worker}${place}${order}: ${title}\n${prompt}`,
      choices: [ACCEPT, DECLINE],
      subject: { title, prompt, after, on, agent, report: report && canWait(task) },
    } as const
    const question = askQuestion(db, asked, world.nowMs())
    return { heard: true, task: null, proposal: `proposal:${question.id}` } as const
  })
}

/** @param beyond tasks of this proposal that exist already. */
function isWithin({ db }: Fleet, { id }: Task, policy: SubTaskConfig, beyond = 0): boolean {
  const above = listAbove(db, id)
  const below = listBelow(db, above.at(-1) ?? id).length - beyond
  return above.length < policy.depthMax && below < policy.countMax
}

/** A sub-task lands, and gets its worktree, as its parent does. */
const asUpper = ({ land, strategy }: Task, chosen: AgentConfig | undefined) => ({
  land,
  strategy: chosen?.workspace.strategy ?? strategy ?? "git_worktree",
})

const busy = (message: string) => new DaemonError("agent.busy", message)
