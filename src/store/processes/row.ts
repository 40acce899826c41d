/** A process as stored: a process of an agent or gate, which must not outlive the daemon. */
import type { SessionId, TaskId } from "../../core/ids.ts"

export type OwnedProcess = {
  readonly pid: number
  /** Distinguishes it from a later process with the same pid (process/identity.ts). */
  readonly identity: string
  /** Set in its environment, and in that of all its descendants. */
  readonly mark: string
  /** The folder of its control group; null without one. */
  readonly cgroup: string | null
  readonly task: TaskId | null
  readonly purpose: "agent" | "setup" | "gate"
  /** Its conversation; null without one. */
  readonly session: SessionId | null
}
