/** The library: the client that the command line uses, and the documents that it returns. */
import type { Client, EventQuery, TaskAction } from "./api/client/client.ts"
import { type ConnectOptions, connect as connectTo } from "./api/client/connect.ts"
import { loadAndReadEnded } from "./read-ended.ts"

/** Finds the home; contacts no daemon yet. A read after `down` reads the store. @throws HomeNotFoundError */
const connect = (options: ConnectOptions = {}): Client =>
  connectTo({ readEnded: loadAndReadEnded, ...options })

export { type Seen, watchTask } from "./api/client/watch-task.ts"
export type {
  EventDocument,
  EventsDocument,
  LogDocument,
  LogLineDocument,
} from "./api/wire/events.ts"
export type { HomesDocument, StatusDocument } from "./api/wire/home.ts"
export type { CreatedDocument, NewTask } from "./api/wire/requests.ts"
export type { TaskDocument, TasksDocument, WhyDocument } from "./api/wire/tasks.ts"
export { AppError } from "./base/errors.ts"
export { listHomes } from "./list-homes.ts"
export { type Client, type ConnectOptions, connect, type EventQuery, type TaskAction }
