/** Adds up how long tasks waited, by reason, from events. Pure. */
import type { TaskId } from "../../../base/ids.ts"
import type { StoredEvent } from "../../../kernel/store/appended-rows.ts"
import type { TaskState } from "../../../kernel/tasks/rules.ts"

type WaitEvent = Omit<StoredEvent, "seq">
type Wait = { readonly reason: string; readonly atMs: number; readonly task: TaskId | null }
type Sum = { readonly reason: string; readonly tasks: number; readonly totalMs: number }

/** A reason to wait that is no outcome of a landing. */
export type WaitReason =
  | "QUEUED" // for its place in the landing queue
  | "IN_REVIEW" // for an approval
  | "START" // for a free slot, its folder or the tasks before it
  | "PLAN_APPROVAL"
  | "REVIEWS_IN_PROGRESS" // for reviews and checks of its pull request
  | "PR_READY" // for the merge of its pull request
  | "ANSWER" // for an answer to its agent's question

const OF_STATE: { readonly [State in TaskState]?: WaitReason } = {
  registered: "START",
  planning_complete: "PLAN_APPROVAL",
  reviews_in_progress: "REVIEWS_IN_PROGRESS",
  pr_ready: "PR_READY",
}

export class WaitSums {
  readonly #sinceMs: number
  readonly #open = new Map<string, Wait>()
  readonly #sums = new Map<string, { tasks: Set<TaskId | null>; totalMs: number }>()

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs
  }

  add(event: WaitEvent): void {
    const { type, task, data } = event
    if (type.startsWith("question.")) this.#addQuestion(event)
    // Work without an agent never waits to start.
    if (type === "task.created" && data["agent"] !== null)
      this.#move(`task ${task}`, "START", event)
    if (type === "task.deleted") this.#endAll(event)
    if (typeof data["to"] !== "string") return
    if (type.startsWith("landing."))
      this.#move(`landing ${data["landing"]}`, ofLanding(data), event)
    if (type.startsWith("task."))
      this.#move(`task ${task}`, OF_STATE[data["to"] as TaskState], event)
  }

  /** Closes open waits at `untilMs`, and returns the sums, longest first. */
  end(untilMs: number): Sum[] {
    for (const key of [...this.#open.keys()]) this.#end(key, untilMs)
    const sums = [...this.#sums].map(([reason, { tasks, totalMs }]) => {
      return { reason, tasks: tasks.size, totalMs }
    })
    return sums.toSorted((a, b) => b.totalMs - a.totalMs)
  }

  #addQuestion(event: WaitEvent): void {
    const { type, data } = event
    const isAwaited = type === "question.asked" && data["kind"] !== "proposal"
    this.#move(`question ${data["question"]}`, isAwaited ? "ANSWER" : undefined, event)
  }

  #move(key: string, reason: string | undefined, { atMs, task }: WaitEvent): void {
    this.#end(key, atMs)
    if (reason !== undefined) this.#open.set(key, { reason, atMs, task })
  }

  #endAll({ task, atMs }: WaitEvent): void {
    for (const [key, wait] of [...this.#open]) if (wait.task === task) this.#end(key, atMs)
  }

  #end(key: string, atMs: number): void {
    const wait = this.#open.get(key)
    if (!wait) return
    this.#open.delete(key)
    if (atMs < this.#sinceMs) return
    // A plan that needs no person is approved in the same transaction.
    if (wait.reason === "PLAN_APPROVAL" && atMs === wait.atMs) return
    const sum = this.#sums.get(wait.reason) ?? { tasks: new Set(), totalMs: 0 }
    sum.tasks.add(wait.task)
    sum.totalMs += atMs - Math.max(wait.atMs, this.#sinceMs)
    this.#sums.set(wait.reason, sum)
  }
}

function ofLanding({ to, outcome }: WaitEvent["data"]): string | undefined {
  if (to === "queued") return "QUEUED"
  if (to === "in_review") return "IN_REVIEW"
  return to === "waiting" && typeof outcome === "string" ? outcome : undefined
}
