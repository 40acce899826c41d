/** Mints session ids: known before the agent starts, and accepted by every program as its own. */
import { randomUUID } from "node:crypto"
import type { SessionId } from "../../base/ids.ts"

export const mintSessionId = (): SessionId => randomUUID() as SessionId
