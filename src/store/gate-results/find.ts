/** Finds the remembered result of a gate on a tree. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { GateKey, GateResult } from "./row.ts"

const FIND = `
  select tree, command, environment, exit_code as exitCode, output, duration_ms as durationMs,
         at as atMs
  from gate_results
  where tree = :tree and command = :command and environment = :environment`

export function findGateResult(db: Db, key: GateKey): GateResult | undefined {
  const { tree, command, environment } = key
  return sql(db, FIND).find({ tree, command, environment }) as GateResult | undefined
}
