/** The home itself: its permanent name, and the folder that the paths in the store belong to. */
import type { Db } from "./open.ts"
import { sql, transaction } from "./sql.ts"

export type HomeRow = {
  /** Names its worktrees and refs, wherever the home moves. */
  readonly name: string
  /** Real path. */
  readonly path: string
}

export function findHomeRow(db: Db): HomeRow | undefined {
  return sql(db, "select name, path from home").find() as HomeRow | undefined
}

/** The row of this home; on its first start, `first` becomes it. */
export function claimHome(db: Db, first: HomeRow): HomeRow {
  const { name, path } = first
  sql(db, "insert into home (one, name, path) values (1, :name, :path) on conflict do nothing").run(
    { name, path },
  )
  return findHomeRow(db) ?? first
}

/**
 * Names this home at remotes, where homes of other machines push too. Its permanent name is a path, which
 * is no part of a ref and which a home of another machine may have.
 */
export function readUniqueName(db: Db): string {
  return sql(db, "select unique_name from home").read()["unique_name"] as string
}

/** Every column with a path, by table. */
export const PATH_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  task_repos: ["path", "worktree", "entry"],
  folder_leases: ["path"],
  pool_entries: ["path", "repo", "folder"],
  worktrees: ["path", "repo"],
  trash: ["path", "repo"],
  landing_repos: ["path"],
  seen_targets: ["path"],
  seen_rescues: ["repo"],
  seen_settings: ["repo"],
}

/** The checkout of an intent is a path in a JSON text. */
const LIST_CHECKOUTS = `
  select distinct json_extract(intent, '$.checkout') as place from landing_repos
  where json_extract(intent, '$.checkout') is not null`
const RECORD_CHECKOUT = `
  update landing_repos set intent = json_set(intent, '$.checkout', :to)
  where json_extract(intent, '$.checkout') = :from`

/** Records that the home stands at `path` now, and with it every path, in one transaction. */
export function recordHomeMoved(db: Db, path: string, placeOf: (path: string) => string): void {
  transaction(db, () => {
    for (const [table, columns] of Object.entries(PATH_COLUMNS))
      for (const column of columns)
        replace(db, placeOf, {
          list: `select distinct ${column} as place from ${table} where ${column} is not null`,
          record: `update ${table} set ${column} = :to where ${column} = :from`,
        })
    replace(db, placeOf, { list: LIST_CHECKOUTS, record: RECORD_CHECKOUT })
    sql(db, "update home set path = :path").run({ path })
  })
}

function replace(
  db: Db,
  placeOf: (path: string) => string,
  { list, record }: { readonly list: string; readonly record: string },
): void {
  for (const { place } of sql(db, list).list()) {
    const [from, to] = [place as string, placeOf(place as string)]
    if (to !== from) sql(db, record).run({ from, to })
  }
}
