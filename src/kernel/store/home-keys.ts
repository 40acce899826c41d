/** Secret keys of the home. Each is made when it is first needed, and stays. */
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

const ADD = "insert into home_keys (name, key) values (:name, :key) on conflict do nothing"
const FIND = "select key from home_keys where name = :name"

/** @param make a new key; another process may have been first. */
export function homeKey(db: Db, name: "links" | "push", make: () => string): string {
  const find = () => sql(db, FIND).find({ name })?.["key"] as string | undefined
  const known = find()
  if (known !== undefined) return known
  sql(db, ADD).run({ name, key: make() })
  return find() as string
}
