/** A process as stored: something that an agent or a gate started and that must not outlive us. */
import type { SessionId, TaskId } from "../../core/ids.ts"

export type OwnedProcess = {
  readonly pid: number
  /** Tells it from a later process with the same pid (process/identity.ts). */
  readonly identity: string
  /** In its environment, and in that of everything it started. */
  readonly mark: string
  /** The folder of its control group; null where it has none. */
  readonly cgroup: string | null
  readonly task: TaskId | null
  readonly purpose: "agent" | "setup" | "gate"
  /** The conversation that it has; null: none. */
  readonly session: SessionId | null
}
