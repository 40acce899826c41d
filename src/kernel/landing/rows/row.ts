/** A landing as stored, and back. Rows are checked here and nowhere else. */
import { assert } from "../../../base/assert.ts"
import type { LandingId, Oid, RefName, TaskId } from "../../../base/ids.ts"
import type { SqlRow } from "../../store/sql.ts"
import { LANDING, type LandingOutcome, type LandingState } from "../rules.ts"

export type Landing = {
  readonly id: LandingId
  readonly task: TaskId
  readonly state: LandingState
  readonly outcome: LandingOutcome | null
  /** One sentence for a person. */
  readonly reason: string | null
  /** Facts of a conflict, gate output, paths in the way: JSON in a shape that src/landing defines. */
  readonly details: unknown
  /** Failed tries of publishing. */
  readonly attempts: number
  /** Lost races for the target. */
  readonly races: number
  readonly handbacks: number
  /** When a waiting landing is checked again; null: when a person acts. */
  readonly wakeAtMs: number | null
  /** When it entered its state; of a wait, when it first waited for this. */
  readonly sinceMs: number
  readonly queuedAtMs: number
  /** All targets were verified and locked: the landing is rolled forward, never cancelled. */
  readonly decided: boolean
  /** The landing that this one reverts. */
  readonly undoes: LandingId | null
  readonly repos: readonly LandingRepo[]
}

/** A landing in one of its repositories. */
export type LandingRepo = {
  readonly name: string
  /** Main worktree, or bare directory; real path. */
  readonly path: string
  readonly target: RefName
  /** The snapshot. */
  readonly head: Oid | null
  /** The target's commit on which the candidate was made. */
  readonly base: Oid | null
  readonly candidate: Oid | null
  /** The target has been moved. */
  readonly published: boolean
  /** The commit that shows at the remote that the push under way has arrived. */
  readonly receipt: Oid | null
  /** With `push_target`: the target of the remote has been moved. */
  readonly pushed: boolean
  /** JSON in a shape that src/landing defines: a checkout is being advanced. */
  readonly intent: unknown
}

export const LANDING_COLUMNS = `
  id, task, state, outcome, reason, details, attempts, races, handbacks,
  wake_at as wakeAtMs, since as sinceMs, queued_at as queuedAtMs, decided, undoes`

export const LANDING_REPO_COLUMNS =
  "name, path, target, head, base, candidate, published, receipt, pushed, intent"

export function decodeLanding(
  { details, decided, ...rest }: SqlRow,
  repos: readonly SqlRow[],
): Landing {
  const { state } = rest
  assert(
    typeof state === "string" && Object.hasOwn(LANDING, state),
    "a stored landing has a known state",
  )
  const decoded: Landing["repos"] = repos.map(decodeRepo)
  const facts = { details: decodeJson(details), decided: decided === 1, repos: decoded }
  return { ...rest, ...facts } as Landing
}

function decodeRepo({ published, pushed, intent, ...rest }: SqlRow): LandingRepo {
  const flags = { published: published === 1, pushed: pushed === 1 }
  return { ...rest, ...flags, intent: decodeJson(intent) } as LandingRepo
}

const decodeJson = (json: unknown): unknown => (json === null ? null : JSON.parse(json as string))
