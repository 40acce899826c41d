/** The remembered result of a gate, and what it depends on. */
import type { Oid } from "../../core/ids.ts"

export type GateKey = {
  readonly tree: Oid
  readonly command: string
  /** Hash of what else the result depends on. */
  readonly environment: string
}

export type GateResult = GateKey & {
  readonly exitCode: number
  /** The last part of what it wrote, bounded by whoever ran it. */
  readonly output: string
  readonly durationMs: number
  readonly atMs: number
}
