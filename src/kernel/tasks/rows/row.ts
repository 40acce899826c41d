/** A task as stored, and back. Rows are checked here and nowhere else. */
import { assert } from "../../../base/assert.ts"
import type { Oid, TaskId } from "../../../base/ids.ts"
import type { AgentProgram, PlanMode } from "../../../config/config.ts"
import type { LandMode } from "../../landing/rules/landing-states.ts"
import type { LandingState } from "../../landing/rules.ts"
import type { SqlRow } from "../../store/sql.ts"
import type { StandIn } from "../rules/fallback.ts"
import type { StrategyName } from "../rules/strategies.ts"
import { type Reason, TASK, type TaskState } from "../rules.ts"

export type Task = {
  readonly id: TaskId
  readonly title: string
  readonly prompt: string
  /** Name in the configuration, or of the program; null for work of a person or another tool. */
  readonly agent: string | null
  /** How its program is started, if coppice.yml does not name the agent. */
  readonly program: AgentProgram | null
  /** For its sessions; null: its agent's. */
  readonly model: string | null
  readonly state: TaskState
  /** The state before a task got stuck or was paused; null in every other state. */
  readonly returnsTo: TaskState | null
  /** The state of its latest landing. */
  readonly landingState: LandingState | null
  readonly reason: Reason | null
  readonly workItem: string | null
  readonly land: LandMode
  /** Null: branch and worktree belong to a person or another tool, and stay as they are. */
  readonly strategy: StrategyName | null
  /** Whether its agent writes a plan first, and whether a person approves that. */
  readonly planMode: PlanMode
  /** Name of the agent that plans; null: its own agent. */
  readonly planner: string | null
  /** The fallback that has taken over from the agent whose turn it is. */
  readonly standIn: StandIn | null
  /** The plan that its agent, or the planner, wrote. */
  readonly plan: string | null
  /** The task is being deleted: its worktree is removed or kept. */
  readonly deletion: "remove" | "keep" | null
  /** An attached person has its conversation (features/attach/attached-program.ts). */
  readonly attached: {
    readonly pid: number
    readonly identity: string | null
    readonly file: string
    readonly mark: string
    /** The task was active before. */
    readonly pauses: boolean
  } | null
  /** The schedule of its agent that created it. */
  readonly schedule: string | null
  /** The task whose agent proposed it. */
  readonly parent: TaskId | null
  /** The parent waits for this task's end, and gets it as a turn. */
  readonly reports: boolean
  /** The task that this one gives a second opinion on. A reviewer's task lands nothing. */
  readonly reviewOf: TaskId | null
  /** Higher starts, and lands, earlier. */
  readonly priority: number
  /** The last thing the agent said. */
  readonly lastMessage: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly repos: readonly TaskRepo[]
}

export type TaskRepo = {
  readonly name: string
  /** Main worktree, or bare directory; real path. */
  readonly path: string
  readonly target: string
  /** Branch name; null until the workspace is set up. */
  readonly branch: string | null
  /**
   * The branch that we made for the task, and its first commit. Written before the branch is made; null
   * once we have deleted it. We neither use nor delete any other branch.
   */
  readonly made: { readonly branch: string; readonly at: Oid } | null
  /** Absolute path; null before set-up and after removal. */
  readonly worktree: string | null
  /** Git's own folder of that worktree, which stays when the worktree is moved. */
  readonly entry: string | null
  /** Existing work that the task goes on with: its branch starts there. Null: at the target. */
  readonly start: Oid | null
  /** The commit that the branch started at; with `start`, the commit at which that work left the target. */
  readonly base: Oid | null
  /** For a static folder: the tree of its files when the task began. */
  readonly asFound: Oid | null
  /** Set-up and check have passed in this worktree. */
  readonly ready: boolean
  /** `teardown` has run in this worktree. */
  readonly tornDown: boolean
  /** Paths that `copy` and `link` put there, never committed. */
  readonly placed: readonly string[]
  /** Once landed: the target before. */
  readonly mergeBase: Oid | null
  /** Once landed: the target after. */
  readonly mergeTip: Oid | null
  /** A hash of where its remote leads, recorded when the task was created; null: it is not pushed. */
  readonly address: string | null
  /** The commit that reverted the landed work: the target contains the work, but not its change. */
  readonly takenBack: Oid | null
}

export const TASK_COLUMNS = `
  id, title, prompt, agent, program, model, state, stuck_in, paused_in, reason_code, reason_text,
  work_item as workItem, land, strategy, plan_mode as planMode, planner, stand_in as standIn, plan, deletion,
  attached, schedule, parent, reports, review_of as reviewOf, priority, last_message as lastMessage,
  created_at as createdAtMs, updated_at as updatedAtMs,
  (select landings.state from landings where landings.task = tasks.id order by landings.id desc limit 1)
    as landingState`

export const TASK_REPO_COLUMNS = `
  task, name, path, target, branch, made_branch, made_at, worktree, entry, start, base, as_found as asFound, ready, torn_down as tornDown, placed,
  merge_base as mergeBase, merge_tip as mergeTip, address, taken_back as takenBack`

export function decodeTask(row: SqlRow, repos: readonly SqlRow[]): Task {
  const { stuck_in, paused_in, reason_code, reason_text, attached, program, standIn, ...rest } = row
  const returnsTo = decodeReturn(row)
  const decoded: Pick<Task, "program" | "standIn" | "reason" | "attached" | "reports" | "repos"> = {
    reports: row["reports"] === 1,
    program: decodeJson(program),
    standIn: decodeJson(standIn),
    attached: attached === null ? null : JSON.parse(attached as string),
    reason: decodeReason(reason_code, reason_text),
    repos: repos.map(decodeRepo),
  }
  return { ...rest, ...decoded, returnsTo } as Task
}

/** The state that a stuck or paused task goes back to; null for any other. */
export function decodeReturn({ state, stuck_in, paused_in }: SqlRow): TaskState | null {
  assert(isTaskState(state), "a stored task has a known state")
  const returnsTo = state === "stuck" ? stuck_in : state === "paused" ? paused_in : null
  assert(returnsTo === null || isTaskState(returnsTo), "a stored task returns to a known state")
  return returnsTo
}

export function decodeReason(code: unknown, text: unknown): Reason | null {
  return code === null ? null : ({ code, text } as Reason)
}

/** A column that is null or JSON of ours. */
export const decodeJson = <Value>(json: unknown): Value | null =>
  json === null ? null : (JSON.parse(json as string) as Value)

function decodeRepo(row: SqlRow): TaskRepo {
  const { task: _, placed, ready, tornDown, made_branch: branch, made_at: at, ...rest } = row
  const flags = { ready: ready === 1, tornDown: tornDown === 1 }
  const made = branch === null ? null : { branch, at }
  return { ...rest, ...flags, made, placed: JSON.parse(placed as string) } as TaskRepo
}

const isTaskState = (state: unknown): state is TaskState =>
  typeof state === "string" && Object.hasOwn(TASK, state)
