/**
 * What can be asked of a fleet. The command line and every program that uses the library see this,
 * and nothing else; none can do what another cannot.
 *
 * A `ref` is a task's id, branch, work item or the unambiguous beginning of its title. Methods
 * start a daemon where one is needed and none runs; `status`, `down` and the followers never do.
 */
import type { NewAnswer, QuestionsDocument } from "../core/wire/agent.ts"
import type {
  AttachDocument,
  DiffDocument,
  EventsDocument,
  LandDocument,
  LandingOrder,
  LandingPlanDocument,
  LogDocument,
  QueueDocument,
  RescuesDocument,
  RestoredDocument,
  ToAttach,
  ToRestore,
  WorkToLand,
} from "../core/wire/documents.ts"
import type { GcDocument } from "../core/wire/gc.ts"
import type {
  AddedWorktreeDocument,
  NewWorktree,
  RemovedWorktreesDocument,
  WorktreesDocument,
} from "../core/wire/worktrees.ts"
import type {
  CreatedDocument,
  Deletion,
  EventDocument,
  LogLineDocument,
  NewApproval,
  NewTask,
  Rejection,
  SaidWords,
  StatusDocument,
  TaskDocument,
  TaskLinesDocument,
  TasksDocument,
  WhyDocument,
  Words,
} from "../core/wire.ts"

export interface Client {
  /** Real path of the home. */
  readonly home: string

  create(task: NewTask): Promise<CreatedDocument>
  list(): Promise<TasksDocument>
  /** The same tasks with no more than a list for people shows, which is much quicker. */
  listLines(): Promise<TaskLinesDocument>
  show(ref: string): Promise<TaskDocument>
  why(ref: string): Promise<WhyDocument>
  diff(ref: string, query?: DiffQuery): Promise<DiffDocument>
  /** The landings of every target, in their order. */
  queue(): Promise<QueueDocument>
  act(ref: string, action: TaskAction): Promise<TaskDocument>
  /** Lets a paused task go on, or a complete one with more to do; tries one at once that was put off. */
  resume(ref: string, words?: Words): Promise<TaskDocument>
  /** Starts a stopped task again: a fresh conversation in the same worktree. */
  restart(ref: string, words?: Words): Promise<TaskDocument>
  /** Says something to its agent, as the next turn of the same conversation. */
  say(ref: string, words: SaidWords): Promise<TaskDocument>
  /** Answers with the task as it last was, and what became of the deletion. */
  delete(ref: string, how?: Deletion): Promise<TaskDocument>
  /** Pauses the task and gives its conversation to the process `pid`. */
  attach(ref: string, who: ToAttach): Promise<AttachDocument>
  /** Takes it back: the task goes on where it was. */
  detach(ref: string, who: ToAttach): Promise<TaskDocument>
  /** Lands a task, or a branch or worktree that is none's. */
  land(work: WorkToLand): Promise<LandDocument>
  /** What that would do; changes nothing. */
  planLanding(work: WorkToLand): Promise<LandingPlanDocument>
  /** Approves the commits in review. With `head` refused where another commit is. */
  approve(ref: string, what?: NewApproval): Promise<TaskDocument>
  /** Gives the agent its work back, with a person's words. */
  reject(ref: string, rejection?: Rejection): Promise<TaskDocument>

  /** What the task's agent asks of a person. */
  questions(ref: string): Promise<QuestionsDocument>
  /** Answers it. An agent that has stopped goes on with the answer, in the same conversation. */
  answer(ref: string, answer: NewAnswer): Promise<TaskDocument>

  /** Takes a landing back by a landing of its own. @param landing its id, or a task's `ref`. */
  undo(landing: string, order?: LandingOrder): Promise<TaskDocument>

  /** What was saved before something was changed or removed. */
  rescues(): Promise<RescuesDocument>
  /** Makes a branch of a rescue; touches no checkout, and no branch that exists. */
  restore(wanted: ToRestore): Promise<RestoredDocument>

  /** Cleans up what provably holds nothing; with `dryRun` says what would go, and changes nothing. */
  gc(options?: { readonly dryRun?: boolean }): Promise<GcDocument>

  /** The worktrees of the home, whoever has them. */
  worktrees(): Promise<WorktreesDocument>
  /** Sets a task's worktree up without starting an agent; makes the task where there is none. */
  addWorktree(wanted: NewWorktree): Promise<AddedWorktreeDocument>
  /** Removes a task's worktrees; what is nowhere else is saved first. */
  removeWorktree(ref: string): Promise<RemovedWorktreesDocument>
  /** Removes the worktrees of finished tasks whose work is safe, also those that are to be kept. */
  pruneWorktrees(): Promise<RemovedWorktreesDocument>

  /** Events behind number `after`, oldest first. */
  events(query?: EventQuery): Promise<EventsDocument>
  /** @param query.task an id. */
  followEvents(query?: EventQuery & Following): AsyncIterable<EventDocument>
  /** Log lines behind number `after`, oldest first. */
  log(ref: string, query?: LogQuery): Promise<LogDocument>
  followLog(ref: string, query?: Page & Following): AsyncIterable<LogLineDocument>

  status(): Promise<StatusDocument>
  /** Starts a daemon in the background, if none runs. */
  up(): Promise<StatusDocument>
  /** Ends the daemon and its agents, and waits until it has ended. */
  down(): Promise<StatusDocument>
}

/** What a person does to a task. */
export type TaskAction = "land" | "restart" | "pause" | "resume" | "cancel"

export type DiffQuery = {
  /** Where the work began (default), or the target as it is now: what landing it would change. */
  readonly against?: "base" | "target"
  /** Only this repository; default: all of the task's. */
  readonly repo?: string
}

export type Page = {
  /** The number of the last one seen; 0 for all. */
  readonly after?: number
  /** At most so many. */
  readonly limit?: number
}

export type LogQuery = Page & {
  /** Instead of what its agent did: which gits ran for the task, the newest of them. */
  readonly kind?: "git"
}

export type EventQuery = Page & {
  /** Only those of the task with this id. */
  readonly task?: string
}

export type Following = { readonly signal?: AbortSignal | undefined }
