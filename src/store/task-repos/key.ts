/** Names one repository of a task. */
import type { TaskId } from "../../core/ids.ts"

export type TaskRepoKey = { readonly task: TaskId; readonly name: string }
