/** Browsers that get notifications by Web Push. */
import type { Db } from "../../../kernel/store/open.ts"
import { sql, transaction } from "../../../kernel/store/sql.ts"

export type PushSubscription = {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** One person has few browsers. The oldest ones go. */
const SUBSCRIPTIONS_MAX = 20

const ADD = `
  insert into push_subscriptions (endpoint, p256dh, auth) values (:endpoint, :p256dh, :auth)
  on conflict (endpoint) do update set p256dh = :p256dh, auth = :auth`
const BOUND = `
  delete from push_subscriptions where id not in
    (select id from push_subscriptions order by id desc limit ${SUBSCRIPTIONS_MAX})`
const LIST = "select id, endpoint, p256dh, auth from push_subscriptions order by id"
const REMOVE = "delete from push_subscriptions where endpoint = :endpoint"

export function addPushSubscription(db: Db, subscription: PushSubscription): void {
  transaction(db, () => {
    sql(db, ADD).run({ ...subscription })
    sql(db, BOUND).run()
  })
}

export const listPushSubscriptions = (db: Db): (PushSubscription & { readonly id: number })[] =>
  sql(db, LIST).list() as (PushSubscription & { readonly id: number })[]

export const removePushSubscription = (db: Db, endpoint: string): void =>
  void sql(db, REMOVE).run({ endpoint })
