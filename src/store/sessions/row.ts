/** A session as stored: one conversation with an agent. */
import type { SessionId } from "../../core/ids.ts"

export type Session = {
  readonly id: SessionId
  /** The program, and where it keeps conversations (Runtime.holder); null: not used yet. */
  readonly heldBy: string | null
  /** When it last got a turn; null: never, so there is nothing to resume. */
  readonly usedAtMs: number | null
}

export const SESSION_COLUMNS = "id, held_by as heldBy, used_at as usedAtMs"
