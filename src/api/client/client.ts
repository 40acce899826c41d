/**
 * The interface to a fleet. The command line and every program that uses the library have this one, so
 * all can do the same. Its methods are the routes of the daemon, api/wire/routes.ts.
 *
 * A `ref` is a task's id, branch, work item or the unambiguous beginning of its title. Methods
 * start a daemon if they need one and none runs; `status`, `down` and the followers never do. The
 * command line and the library read the store of a home whose daemon was ended, and start none to read.
 */
import type { EventQuery as AnyEventQuery } from "../wire/query-parameters.ts"
import type { Answer, Arguments, FollowedName, RouteName, SocketName } from "../wire/routes.ts"

/** One method for each route. */
export type Calls = {
  readonly [Name in Exclude<RouteName, SocketName>]: (
    ...given: Arguments<Name>
  ) => Promise<Answer<Name>>
} & {
  readonly [Name in FollowedName]: (
    ...given: Following<Arguments<Name>>
  ) => AsyncIterable<Answer<Name>>
}

type Following<Given extends readonly unknown[]> = {
  [At in keyof Given]: Given[At] extends object | undefined ? Given[At] & Until : Given[At]
}
type Until = {
  /** An abort ends the stream. */
  readonly signal?: AbortSignal | undefined
  /** For a log: called with the message that the agent is writing, and without a text when there is none. */
  readonly onWriting?: ((text: string) => void) | undefined
}

export type Client = Omit<Calls, "operation" | "gc" | "status" | "down"> & {
  /** Real path of the home. */
  readonly home: string
  act(ref: string, action: TaskAction): Promise<Answer<"show">>
  /** Removes what is safely stored elsewhere; `dryRun` only lists it. */
  gc(options?: { readonly dryRun?: boolean }): Promise<Answer<"gc">>
  status(): Promise<Answer<"status">>
  /** Starts a daemon in the background, if none runs. */
  up(): Promise<Answer<"status">>
  /** Ends the daemon and its agents, and waits until it has ended. @returns the tasks by state. */
  down(): Promise<Answer<"status">>
}

/** An action of a person on a task. */
export type TaskAction = "land" | "restart" | "pause" | "resume" | "cancel"

export type EventQuery = AnyEventQuery
