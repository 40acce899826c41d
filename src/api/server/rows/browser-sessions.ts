/** The browsers that are logged in to the dashboard. They stay logged in when the daemon restarts. */
import type { Db } from "../../../kernel/store/open.ts"
import { sql, transaction } from "../../../kernel/store/sql.ts"

export type BrowserSession = {
  /** A hash of both secrets of the session; the secrets themselves are never stored. */
  readonly hash: string
  /** A hash of the page's secret. */
  readonly name: string
  /** Another hash of that secret. With it, the daemon proves that it is the one that the page knows. */
  readonly proofKey: string
  /** The daemon's address with its port. Another program may listen on a port that it gave up. */
  readonly address: string
  readonly readOnly: boolean
  readonly untilMs: number
}

/** One person has few browsers. */
const SESSIONS_MAX = 50

const ADD = `
  insert into browser_sessions (hash, name, proof_key, address, read_only, until)
  values (:hash, :name, :proofKey, :address, :readOnly, :untilMs)`
const EXPIRE = `
  delete from browser_sessions
  where until <= :nowMs or address not in (select value from json_each(:addresses))`
const BOUND = `
  delete from browser_sessions where hash not in
    (select hash from browser_sessions order by until desc limit :max)`
const FIND = `
  select read_only as readOnly from browser_sessions
  where hash = :hash and address = :address and until > :nowMs`
const PROOF_KEY = `
  select proof_key as proofKey, read_only as readOnly from browser_sessions
  where name = :name and address = :address and until > :nowMs`
const REMOVE = "delete from browser_sessions where hash = :hash"

type Login = {
  readonly session: BrowserSession
  /** The present addresses of the daemon. */
  readonly addresses: readonly string[]
}

/** Removes those that have expired, and those of other addresses, in the same step. */
export function addBrowserSession(db: Db, { session, addresses }: Login, nowMs: number): void {
  transaction(db, () => {
    sql(db, EXPIRE).run({ nowMs, addresses: JSON.stringify(addresses) })
    sql(db, ADD).run({ ...session, readOnly: Number(session.readOnly) })
    sql(db, BOUND).run({ max: SESSIONS_MAX })
  })
}

export function findBrowserSession(
  db: Db,
  { hash, address }: Pick<BrowserSession, "hash" | "address">,
  nowMs: number,
): Pick<BrowserSession, "readOnly"> | undefined {
  const row = sql(db, FIND).find({ hash, address, nowMs })
  return row && { readOnly: row["readOnly"] === 1 }
}

export function findProofKey(
  db: Db,
  { name, address }: Pick<BrowserSession, "name" | "address">,
  nowMs: number,
): Pick<BrowserSession, "proofKey" | "readOnly"> | undefined {
  const row = sql(db, PROOF_KEY).find({ name, address, nowMs })
  return row && { proofKey: row["proofKey"] as string, readOnly: row["readOnly"] === 1 }
}

export function removeBrowserSession(db: Db, hash: string): void {
  sql(db, REMOVE).run({ hash })
}
