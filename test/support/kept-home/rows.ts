/**
 * The rows of a kept home, as statements of SQL.
 *
 * Times are kept as the distance from the moment of the record, and become times again when the rows are loaded. So
 * nothing in them is ever too old, whenever that is.
 */
import Sqlite from "better-sqlite3"

type Column = { readonly name: string }

/** Long, and only for people who look into the past. */
const LEFT_OUT = ["git_lines"]
/** A time in milliseconds of these decades, standing alone. */
const TIME = /(?<![\w.-])[12]\d{12}(?![\w.])/g
const KEPT_TIME = /\{\{now([+-]\d+)\}\}/g
/** Of processes that have ended: no other machine has this boot. */
const BOOT = /^[0-9a-f-]{36}(?=:)/

/** @param path of a database that no process has open. */
export function dumpRows(path: string, nowMs: number): string {
  const db = new Sqlite(path)
  try {
    db.pragma("wal_checkpoint(truncate)")
    const version = db.pragma("user_version", { simple: true })
    const listed = "select type, name, sql from sqlite_schema where name not like 'sqlite_%'"
    const made = db.prepare(listed).all() as { type: string; name: string; sql: string | null }[]
    const tables = made.filter(({ type }) => type === "table").map(({ name }) => name)
    const lines = [
      ...made.flatMap(({ sql }) => (sql === null ? [] : [`${sql};`])),
      ...tables.filter((name) => !LEFT_OUT.includes(name)).flatMap((name) => listRows(db, name)),
      `pragma user_version = ${version};`,
    ]
    const keepTime = (time: string) => {
      const distance = Number(time) - nowMs
      return `{{now${distance < 0 ? "" : "+"}${distance}}}`
    }
    return `${lines.join("\n")}\n`.replaceAll(TIME, keepTime)
  } finally {
    db.close()
  }
}

function listRows(db: Sqlite.Database, table: string): string[] {
  const columns = db.pragma(`table_info(${table})`) as Column[]
  const names = columns.map(({ name }) => name)
  const rows = db
    .prepare(`select ${names.join(", ")} from ${table}`)
    .raw()
    .all() as unknown[][]
  if (rows.length === 0) return []
  const values = rows.map((row) => `(${row.map(literal).join(", ")})`)
  return [`insert into ${table} (${names.join(", ")}) values`, `${values.join(",\n")};`]
}

function literal(value: unknown): string {
  if (value === null || typeof value === "number") return String(value)
  const text = String(value).replace(BOOT, "00000000-0000-0000-0000-000000000000")
  return `'${text.replaceAll("'", "''")}'`
}

/** @param path of a database that does not exist yet. */
export function loadRows(path: string, text: string, nowMs: number): void {
  const db = new Sqlite(path)
  try {
    db.pragma("foreign_keys = off")
    const inTime = (_: string, distance: string) => String(nowMs + Number(distance))
    db.exec(`begin; ${text.replaceAll(KEPT_TIME, inTime)} commit`)
  } finally {
    db.close()
  }
}
