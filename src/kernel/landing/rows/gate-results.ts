/** Results of gates, remembered by tree, command and environment. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** The inputs of a gate, which find its remembered result. */
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
  /** Of one that passed; null: it wrote none of the files that it tested. */
  readonly wrote: Wrote | null
}

/** The files that a gate wrote among those that it tested, without what `gate_writes` allows. */
export type Wrote = {
  /** Files of the tested commit. */
  readonly changed: readonly GitPath[]
  /** Files that the commit does not have and git does not ignore. */
  readonly made: readonly GitPath[]
  /** The start of a patch of those that the landing was refused for; empty if it was not. */
  readonly diff: string
}

const FIND = `
  select tree, command, environment, exit_code as exitCode, output, duration_ms as durationMs,
         at as atMs, wrote
  from gate_results
  where tree = :tree and command = :command and environment = :environment`

export function findGateResult(db: Db, key: GateKey): GateResult | undefined {
  const { tree, command, environment } = key
  const row = sql(db, FIND).find({ tree, command, environment })
  if (!row) return undefined
  const wrote = row["wrote"] === null ? null : (JSON.parse(String(row["wrote"])) as Wrote)
  return { ...row, wrote } as GateResult
}

const FIND_OUTPUT = `
  select output from gate_results
  where tree = :tree and command = :command and exit_code = :exitCode order by at desc limit 1`

/** The end of the output of a gate that ran, while it is remembered. */
export function findGateOutput(
  db: Db,
  { tree, command, exitCode }: Pick<GateResult, "tree" | "command" | "exitCode">,
): string | undefined {
  return sql(db, FIND_OUTPUT).find({ tree, command, exitCode })?.["output"] as string | undefined
}

const RECORD = `
  insert into gate_results (tree, command, environment, exit_code, output, duration_ms, at, wrote)
  values (:tree, :command, :environment, :exitCode, :output, :durationMs, :nowMs, :wrote)
  on conflict (tree, command, environment) do update
  set exit_code = excluded.exit_code, output = excluded.output,
      duration_ms = excluded.duration_ms, at = excluded.at, wrote = excluded.wrote`

/** Remembers the result of a gate. The latest counts. */
export function recordGateResult(db: Db, result: Omit<GateResult, "atMs">, nowMs: number): void {
  const { tree, command, environment, exitCode, output, durationMs } = result
  const wrote = result.wrote && JSON.stringify(result.wrote)
  sql(db, RECORD).run({ tree, command, environment, exitCode, output, durationMs, nowMs, wrote })
}

/** Forgets every result for which a landing can be refused, so that the gates run again. */
export function forgetRed(db: Db): void {
  sql(db, "delete from gate_results where exit_code <> 0 or wrote is not null").run()
}
