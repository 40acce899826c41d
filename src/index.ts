/** The library: the client that the command line uses, and the documents that it returns. */
import type { Client, EventQuery, TaskAction } from "./client/client.ts"
import { type ConnectOptions, connect as connectTo } from "./client/connect.ts"
import { readEnded } from "./read-ended.ts"

/** Finds the home; contacts no daemon yet. A read after `down` reads the store. @throws HomeNotFoundError */
const connect = (options: ConnectOptions = {}): Client => connectTo({ readEnded, ...options })

export { type Seen, watchTask } from "./client/watch-task.ts"
export { AppError } from "./core/errors.ts"
export type {
  EventDocument,
  EventsDocument,
  LogDocument,
  LogLineDocument,
} from "./core/wire/events.ts"
export type { HomesDocument, StatusDocument } from "./core/wire/home.ts"
export type { CreatedDocument, NewTask } from "./core/wire/requests.ts"
export type { TaskDocument, TasksDocument, WhyDocument } from "./core/wire/tasks.ts"
export { listHomes } from "./homes/list-homes.ts"
export { type Client, type ConnectOptions, connect, type EventQuery, type TaskAction }
