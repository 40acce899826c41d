/** What is known of the limits of accounts at model APIs: until when nothing may start with one. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

export type AccountLimit = {
  /** Names the login, never a key. */
  readonly account: string
  readonly untilMs: number
  /** What is used up; a sentence goes on with it. */
  readonly text: string
}

const LIMIT = `
  insert into account_limits (account, until, text) values (:account, :untilMs, :text)
  on conflict (account) do update set until = excluded.until, text = excluded.text
  where excluded.until > account_limits.until`
const FIND = `
  select account, until as untilMs, text from account_limits
  where account = :account and until > :nowMs`

/** The later of two limits holds. Event `account.limited`, where there is news. */
export function limitAccount(db: Db, limit: AccountLimit, nowMs: number): void {
  const { account, untilMs, text } = limit
  transaction(db, () => {
    if (sql(db, LIMIT).run({ account, untilMs, text }) === 0) return
    appendEvent(db, { type: "account.limited", task: null, data: { ...limit } }, nowMs)
  })
}

export function findAccountLimit(db: Db, account: string, nowMs: number): AccountLimit | undefined {
  return sql(db, FIND).find({ account, nowMs }) as AccountLimit | undefined
}
