/**
 * The interface to a fleet. The command line and every program that uses the library have this one, so
 * all can do the same.
 *
 * A `ref` is a task's id, branch, work item or the unambiguous beginning of its title. Methods
 * start a daemon if they need one and none runs; `status`, `down` and the followers never do. The
 * command line reads the store of a home whose daemon was ended, and starts none to read.
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
  UndoPlanDocument,
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
  /** The same tasks, with only the columns of a list; much quicker. */
  listLines(): Promise<TaskLinesDocument>
  show(ref: string): Promise<TaskDocument>
  why(ref: string): Promise<WhyDocument>
  diff(ref: string, query?: DiffQuery): Promise<DiffDocument>
  /** The landings of every target, in queue order. */
  queue(): Promise<QueueDocument>
  act(ref: string, action: TaskAction): Promise<TaskDocument>
  /** Continues a paused task, or a complete one with more to do; retries a postponed one at once. */
  resume(ref: string, words?: Words): Promise<TaskDocument>
  /** Starts a stopped task again: a fresh conversation in the same worktree. */
  restart(ref: string, words?: Words): Promise<TaskDocument>
  /** Sends its agent a message, as the next turn of the same conversation. */
  say(ref: string, words: SaidWords): Promise<TaskDocument>
  /** Returns the task as it last was, and the state of the deletion. */
  delete(ref: string, how?: Deletion): Promise<TaskDocument>
  /** Pauses the task and gives its conversation to the process `pid`. */
  attach(ref: string, who: ToAttach): Promise<AttachDocument>
  /** Ends the attachment; the task continues. */
  detach(ref: string, who: ToAttach): Promise<TaskDocument>
  /** Lands a task, or a branch or worktree that belongs to no task. */
  land(work: WorkToLand): Promise<LandDocument>
  /** The plan of that landing; changes nothing. */
  planLanding(work: WorkToLand): Promise<LandingPlanDocument>
  /** Approves the commits in review. With `head`, refuses if another commit is in review. */
  approve(ref: string, what?: NewApproval): Promise<TaskDocument>
  /** Sends the work back to its agent, with feedback. */
  reject(ref: string, rejection?: Rejection): Promise<TaskDocument>

  /** The questions of the task's agent. */
  questions(ref: string): Promise<QuestionsDocument>
  /** Answers a question. An agent that has stopped continues with the answer, in the same conversation. */
  answer(ref: string, answer: NewAnswer): Promise<TaskDocument>

  /**
   * Reverts what a task landed, with another landing.
   *
   * @param ref a task's; its latest landing is meant. `landing:<id>` names one landing.
   */
  undo(ref: string, order?: LandingOrder): Promise<TaskDocument>
  /** The landing that `undo` would revert; changes nothing. */
  planUndo(ref: string): Promise<UndoPlanDocument>

  /** Work that was saved before a change or removal. */
  rescues(): Promise<RescuesDocument>
  /** Makes a branch of a rescue; touches no checkout and no existing branch. */
  restore(wanted: ToRestore): Promise<RestoredDocument>

  /** Removes what is safely stored elsewhere; `dryRun` only lists it. */
  gc(options?: { readonly dryRun?: boolean }): Promise<GcDocument>

  /** All worktrees of the home. */
  worktrees(): Promise<WorktreesDocument>
  /** Sets up a worktree for a task without starting an agent; adds the task if it is new. */
  addWorktree(wanted: NewWorktree): Promise<AddedWorktreeDocument>
  /** Removes a task's worktrees, after saving their work. */
  removeWorktree(ref: string): Promise<RemovedWorktreesDocument>
  /** Removes the worktrees of finished tasks whose work is safe, even those that `keep` keeps. */
  pruneWorktrees(): Promise<RemovedWorktreesDocument>

  /** Events after number `after`, oldest first. */
  events(query?: EventQuery): Promise<EventsDocument>
  /** @param query.task an id. */
  followEvents(query?: EventQuery & Following): AsyncIterable<EventDocument>
  /** Log lines after number `after`, oldest first. */
  log(ref: string, query?: LogQuery): Promise<LogDocument>
  followLog(ref: string, query?: Page & Following): AsyncIterable<LogLineDocument>

  status(): Promise<StatusDocument>
  /** Starts a daemon in the background, if none runs. */
  up(): Promise<StatusDocument>
  /** Ends the daemon and its agents, and waits until it has ended. Counts the tasks by state. */
  down(): Promise<StatusDocument>
}

/** An action of a person on a task. */
export type TaskAction = "land" | "restart" | "pause" | "resume" | "cancel"

export type DiffQuery = {
  /** The commit that the work began at (default), or the current target. */
  readonly against?: "base" | "target"
  /** Only this repository; default: all of the task's. */
  readonly repo?: string
}

export type Page = {
  /** The number of the last one seen; 0 for all. */
  readonly after?: number
  /** At most this many. */
  readonly limit?: number
}

export type LogQuery = Page & {
  /** Its latest git commands, instead of the work of its agent. */
  readonly kind?: "git"
}

export type EventQuery = Page & {
  /** Only those of the task with this id. */
  readonly task?: string
}

export type Following = { readonly signal?: AbortSignal | undefined }
