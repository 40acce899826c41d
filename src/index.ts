/** The library: the client that the command line uses, and the documents that it returns. */
export type {
  Client,
  EventQuery,
  TaskAction,
} from "./client/client.ts"
export { type ConnectOptions, connect } from "./client/connect.ts"
export { type Seen, watchTask } from "./client/watch-task.ts"
export { AppError } from "./core/errors.ts"
export type { EventsDocument, HomesDocument, LogDocument } from "./core/wire/documents.ts"
export type {
  CreatedDocument,
  EventDocument,
  LogLineDocument,
  NewTask,
  StatusDocument,
  TaskDocument,
  TasksDocument,
  WhyDocument,
} from "./core/wire.ts"
export { listHomes } from "./homes/list-homes.ts"
