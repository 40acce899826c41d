/**
 * Every route of the daemon, by the name of its method in the client.
 *
 * The client's methods, the daemon's handlers and their types come from this table, so neither side can
 * have a route alone. It names its schemas and does not import them: no command has to load zod.
 */
import { ROUTES_OF_FEATURES } from "../../declared/light.ts"
import type { Received, SchemaName, Sent } from "./schemas.ts"

export type Route = {
  /** Method and path; `:ref` is its one parameter. */
  readonly at: `${"GET" | "POST"} /${string}`
  /** Present tense, one sentence. */
  readonly about: string
  /** The schema of a GET's query or of a POST's body; default: `Nothing`. */
  readonly takes?: SchemaName
  /** The schema of the answer, or of each message if it is followed. */
  readonly answers: SchemaName
  /** The answers are messages of a WebSocket. */
  readonly isFollowed?: true
  /** A WebSocket of keys and output, for a browser that is logged in. No client has a method for it. */
  readonly isTerminal?: true
  /** Always answered at once. All others may become an operation: 202, with its id. */
  readonly isQuick?: true
  /** The route may start programs, which get the daemon's environment, not the caller's. */
  readonly isStarting?: true
  /** A POST that changes nothing, so that an agent may send it. */
  readonly isReading?: true
  /** Safe to send again: even the next daemon recognises it by its key. Reading requests need none. */
  readonly isRepeatable?: true
}

// biome-ignore format: a table reads best as one
export const ROUTES = {
  status: { at: "GET /status", about: "The state of the daemon.", answers: "StatusDocument", isQuick: true },
  down: { at: "POST /down", about: "Ends the daemon and its agents; with `ifIdle` only a background daemon with nothing to do.", takes: "ToEnd", answers: "EndingDocument", isQuick: true },
  loginLink: { at: "POST /login-links", about: "Makes a link that logs one browser in to the dashboard, once.", takes: "LoginLinkRequest", answers: "LoginLinkDocument", isQuick: true },
  operation: { at: "GET /operations/:ref", about: "Waits for the answer to a long request: 202 until there is one.", answers: "OperationDocument", isQuick: true },

  homes: { at: "GET /homes", about: "Every home of this person, with its counts and the tasks that need the person.", answers: "HomeSummariesDocument" },

  demo: { at: "POST /demo", about: "Starts the demo in a new home with a daemon of its own, and makes such a link to it.", answers: "DemoDocument" },

  create: { at: "POST /tasks", about: "Adds a task.", takes: "NewTask", answers: "CreatedDocument", isRepeatable: true, isStarting: true },
  createAll: { at: "POST /plans", about: "Adds several tasks, all or none.", takes: "NewTasks", answers: "TasksDocument", isRepeatable: true, isStarting: true },
  list: { at: "GET /tasks", about: "All tasks.", answers: "TasksDocument" },
  listLines: { at: "GET /task-lines", about: "All tasks with only the columns of a list; much quicker.", takes: "LinesQuery", answers: "TaskLinesDocument" },
  liveWork: { at: "GET /live-work", about: "The work of unfinished tasks: its size, latest gate and ports, and the conflicts between them.", answers: "LiveWorkDocument" },
  show: { at: "GET /tasks/:ref", about: "One task.", answers: "TaskDocument" },
  alternatives: { at: "GET /tasks/:ref/alternatives", about: "The tasks that were begun with this one for a person to pick from; itself included.", answers: "AlternativesDocument" },
  why: { at: "GET /tasks/:ref/why", about: "The reason why the task waits.", answers: "WhyDocument" },
  diff: { at: "GET /tasks/:ref/diff", about: "The changes of the task.", takes: "DiffQuery", answers: "DiffDocument" },
  facts: { at: "GET /tasks/:ref/facts", about: "The gates of the task, and its worktrees, ports and processes.", takes: "WorktreesQuery", answers: "TaskFactsDocument" },
  questions: { at: "GET /tasks/:ref/questions", about: "The open questions of the task's agent.", answers: "QuestionsDocument" },
  answer: { at: "POST /tasks/:ref/answer", about: "Answers a question. An agent whose process has ended continues with the answer, in the same conversation. A stuck task restarts with the answer to its last question, unless its budget is used up.", takes: "NewAnswer", answers: "TaskDocument" },
  approve: { at: "POST /tasks/:ref/approve", about: "Approves the commits in review. With `head`, refuses if another commit is in review. A plan is named by its id, `plan`.", takes: "NewApproval", answers: "TaskDocument" },
  reject: { at: "POST /tasks/:ref/reject", about: "Sends the work back to its agent, with feedback.", takes: "Rejection", answers: "TaskDocument" },
  say: { at: "POST /tasks/:ref/say", about: "Sends the agent a message, as the next turn of the same conversation. With `now`, a turn that runs gets it, or is interrupted for it.", takes: "SaidWords", answers: "TaskDocument" },
  pause: { at: "POST /tasks/:ref/pause", about: "Stops the task until `resume`.", answers: "TaskDocument" },
  resume: { at: "POST /tasks/:ref/resume", about: "Continues a paused task, or a complete one with more to do; retries a postponed one at once.", takes: "Words", answers: "TaskDocument", isStarting: true },
  restart: { at: "POST /tasks/:ref/restart", about: "Starts a stopped task again: a fresh conversation in the same worktree.", takes: "Words", answers: "TaskDocument", isStarting: true },
  cancel: { at: "POST /tasks/:ref/cancel", about: "Gives the task up, with `tree` its sub-tasks, too; their work is saved first.", takes: "Cancellation", answers: "TaskDocument" },
  delete: { at: "POST /tasks/:ref/delete", about: "Deletes the task; answers with its last state and that of the deletion.", takes: "Deletion", answers: "TaskDocument" },
  attach: { at: "POST /tasks/:ref/attach", about: "Pauses the task and gives its conversation to the process `pid`.", takes: "ToAttach", answers: "AttachDocument" },
  detach: { at: "POST /tasks/:ref/detach", about: "Ends the attachment; the task continues.", takes: "ToAttach", answers: "TaskDocument" },
  landTask: { at: "POST /tasks/:ref/land", about: "Lands the task.", answers: "TaskDocument", isStarting: true },
  files: { at: "GET /tasks/:ref/files", about: "The files that go with the task, oldest first.", answers: "FilesDocument" },
  file: { at: "GET /files/:ref", about: "One of these files, with its bytes in base64.", answers: "FileDocument" },
  turns: { at: "GET /tasks/:ref/turns", about: "The prompts of the task's turns, oldest first.", answers: "TurnsDocument" },
  log: { at: "GET /tasks/:ref/log", about: "Log lines of the task after number `after`, oldest first.", takes: "LogQuery", answers: "LogDocument" },
  followLog: { at: "GET /tasks/:ref/log/follow", about: "The same, then each new one. With `writing`, also the message that the agent is writing, as WritingDocument.", takes: "LogFollowing", answers: "LogLineDocument", isFollowed: true },
  terminal: { at: "GET /tasks/:ref/terminal", about: "A shell of the person in the task's worktree, for a browser that is logged in.", takes: "TerminalRequest", answers: "TerminalNote", isTerminal: true },

  events: { at: "GET /events", about: "Events after number `after`, oldest first.", takes: "EventQuery", answers: "EventsDocument" },
  followEvents: { at: "GET /events/follow", about: "The same, then each new one.", takes: "EventFollowing", answers: "EventDocument", isFollowed: true },

  stats: { at: "GET /stats", about: "Counts, times and costs over a period.", takes: "StatsQuery", answers: "StatsDocument" },
  sources: { at: "GET /sources", about: "The sources, their last polls, and their open items.", answers: "SourcesDocument" },
  queue: { at: "GET /queue", about: "The landings of every target, in queue order.", answers: "QueueDocument" },
  moveInQueue: { at: "POST /queue/:ref/move", about: "Moves the landing of a task to another place in its queue.", takes: "QueuePlace", answers: "QueueDocument" },
  land: { at: "POST /land", about: "Lands a task, or a branch or worktree that belongs to no task.", takes: "WorkToLand", answers: "LandDocument", isStarting: true },
  listImportable: { at: "GET /land/importable", about: "Branches and worktrees with work that belongs to no task.", answers: "ImportableDocument" },
  planLanding: { at: "POST /land/plan", about: "The plan of that landing; changes nothing.", takes: "WorkToLand", answers: "LandingPlanDocument", isReading: true },
  undo: { at: "POST /undo/:ref", about: "Reverts what a task landed last, with another landing. `landing:<id>` names one landing.", takes: "LandingOrder", answers: "TaskDocument" },
  planUndo: { at: "GET /undo/:ref", about: "The landing that `undo` would revert; changes nothing.", answers: "UndoPlanDocument" },
  rescues: { at: "GET /rescues", about: "Work that was saved before a change or removal.", answers: "RescuesDocument" },
  restore: { at: "POST /rescues", about: "Makes a branch of a rescue; touches no checkout and no existing branch.", takes: "ToRestore", answers: "RestoredDocument" },

  trigger: { at: "POST /schedules/:ref/trigger", about: "Creates a schedule's task now.", answers: "CreatedDocument", isRepeatable: true, isStarting: true },
  switchSchedule: { at: "POST /schedules/:ref/switch", about: "Switches a schedule on or off.", takes: "ScheduleSwitch", answers: "ScheduleDocument" },

  push: { at: "GET /push", about: "The key with which a browser subscribes to notifications.", answers: "PushDocument" },
  subscribe: { at: "POST /push", about: "Sends notifications to this browser from now on.", takes: "PushSubscriptionRequest", answers: "PushDocument" },
  unsubscribe: { at: "POST /push/remove", about: "Sends none to this browser any more.", takes: "PushEndpoint", answers: "PushDocument" },

  planGc: { at: "GET /gc", about: "The plan of `gc`: removed and kept items, each with its reason.", answers: "GcDocument" },
  gc: { at: "POST /gc", about: "Removes what is safely stored elsewhere.", answers: "GcDocument" },
  worktrees: { at: "GET /worktrees", about: "All worktrees of the home.", takes: "WorktreesQuery", answers: "WorktreesDocument" },
  addWorktree: { at: "POST /worktrees", about: "Sets up a worktree for a task without starting an agent; adds the task if it is new.", takes: "NewWorktree", answers: "AddedWorktreeDocument", isStarting: true },
  removeWorktree: { at: "POST /worktrees/:ref/remove", about: "Removes a task's worktrees, after saving their work.", answers: "RemovedWorktreesDocument" },
  pruneWorktrees: { at: "POST /worktrees/prune", about: "Removes the worktrees of finished tasks whose work is safe, even those that `keep` keeps.", answers: "RemovedWorktreesDocument" },

  ...ROUTES_OF_FEATURES,
} as const satisfies Readonly<Record<string, Route>>

type Routes = typeof ROUTES
export type RouteName = keyof Routes
export type FollowedName = {
  [Name in RouteName]: Routes[Name] extends { isFollowed: true } ? Name : never
}[RouteName]
/** A route that is a WebSocket. */
export type SocketName =
  | FollowedName
  | { [Name in RouteName]: Routes[Name] extends { isTerminal: true } ? Name : never }[RouteName]

type Takes<Name extends RouteName> = Routes[Name] extends { takes: infer Schema extends SchemaName }
  ? Schema
  : "Nothing"

/** A request as the handler of the route receives it. */
export type Given<Name extends RouteName> = Received<Takes<Name>>
/** The answer of the route, or one message of it. */
export type Answer<Name extends RouteName> = Sent<Routes[Name]["answers"]>

type Parameter<Name extends RouteName> = Routes[Name]["at"] extends `${string}:${string}`
  ? [ref: string]
  : []
type Request<Name extends RouteName> = Routes[Name] extends { takes: SchemaName }
  ? Partial<Sent<Takes<Name>>> extends Sent<Takes<Name>>
    ? [request?: Sent<Takes<Name>>]
    : [request: Sent<Takes<Name>>]
  : []

/** The arguments of the route's method in the client: a reference, then the query or body. */
export type Arguments<Name extends RouteName> = [...Parameter<Name>, ...Request<Name>]

/** The parts of a route's address, its parameter filled in. */
export function addressOf(at: Route["at"], ref = ""): { method: "GET" | "POST"; path: string } {
  const [method, path] = at.split(" ") as ["GET" | "POST", string]
  return { method, path: path.replace(":ref", () => encodeURIComponent(ref)) }
}
