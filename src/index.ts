/** The library: the client that the command line uses, and the documents that it returns. */
export type {
  Client,
  EventQuery,
  TaskAction,
} from "./client/client.ts"
export { type ConnectOptions, connect } from "./client/connect.ts"
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
