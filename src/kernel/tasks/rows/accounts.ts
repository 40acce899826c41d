/** Keeps when an account of a model provider is usable again. */
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"

export type AccountLimit = {
  /** The login, never a key. */
  readonly account: string
  readonly name: string
  /** In [0, 1]; 1: the API refuses requests until the reset. */
  readonly share: number
  readonly untilMs: number
}

const COLUMNS = "account, name, share, until as untilMs"
const EARLIER = `select ${COLUMNS} from account_limits where account = :account and name = :name`
const LIMIT = `
  insert into account_limits (account, name, share, until) values (:account, :name, :share, :untilMs)
  on conflict (account, name) do update set share = excluded.share, until = excluded.until
  where excluded.until > account_limits.until
    or (excluded.until = account_limits.until and excluded.share > account_limits.share)`
const FIND = `
  select ${COLUMNS} from account_limits
  where account = :account and until > :nowMs and share >= :shareMin
  order by until desc limit 1`

/** A later reset, or else a higher share, wins. Event `account.limited`, once in a period, and once it is used up. */
export function limitAccount(db: Db, limit: AccountLimit, nowMs: number): void {
  const { account, name, share, untilMs } = limit
  transaction(db, () => {
    const earlier = sql(db, EARLIER).find({ account, name }) as AccountLimit | undefined
    if (sql(db, LIMIT).run({ account, name, share, untilMs }) === 0) return
    const isNews = earlier?.untilMs !== untilMs || share >= 1
    if (isNews) appendEvent(db, { type: "account.limited", task: null, data: { ...limit } }, nowMs)
  })
}

/** The limit that lasts longest, among those used by this share or more. */
export function findAccountLimit(
  db: Db,
  { account, shareMin }: { readonly account: string; readonly shareMin: number },
  nowMs: number,
): AccountLimit | undefined {
  return sql(db, FIND).find({ account, shareMin, nowMs }) as AccountLimit | undefined
}
