/** The remembered result of a gate, and its inputs. */
import type { Oid } from "../../core/ids.ts"

export type GateKey = {
  readonly tree: Oid
  readonly command: string
  /** Hash of the other inputs. */
  readonly environment: string
}

export type GateResult = GateKey & {
  readonly exitCode: number
  /** The end of its output, bounded by the caller. */
  readonly output: string
  readonly durationMs: number
  readonly atMs: number
}
