/** Remembers the result of a gate. The latest counts. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { GateResult } from "./row.ts"

const RECORD = `
  insert into gate_results (tree, command, environment, exit_code, output, duration_ms, at)
  values (:tree, :command, :environment, :exitCode, :output, :durationMs, :nowMs)
  on conflict (tree, command, environment) do update
  set exit_code = excluded.exit_code, output = excluded.output,
      duration_ms = excluded.duration_ms, at = excluded.at`

export function recordGateResult(db: Db, result: Omit<GateResult, "atMs">, nowMs: number): void {
  const { tree, command, environment, exitCode, output, durationMs } = result
  sql(db, RECORD).run({ tree, command, environment, exitCode, output, durationMs, nowMs })
}
