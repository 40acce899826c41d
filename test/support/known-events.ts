/** Checks that a fleet has written only events that are documented, with exactly their data. */
import Sqlite from "better-sqlite3"
import { EVENTS, type EventType } from "../../src/api/wire/event-types.ts"

type Row = { readonly type: string; readonly data: string }

/** None of a database that a test has damaged. */
function readEvents(db: Sqlite.Database): readonly Row[] {
  try {
    return db.prepare("select distinct type, data from events").all() as Row[]
  } catch {
    return []
  }
}

/** @param path of a database, which a daemon may be using. @throws Error naming each unknown event. */
export function checkEvents(path: string): void {
  const db = new Sqlite(path, { readonly: true })
  try {
    const rows = readEvents(db)
    const wrong = rows.flatMap(({ type, data }) => {
      const schema = EVENTS[type as EventType]
      const parsed = schema?.strict().safeParse(JSON.parse(data))
      return parsed?.success ? [] : [`${type} ${data}: ${parsed?.error.message ?? "no such type"}`]
    })
    if (wrong.length > 0) throw new Error(`undocumented events:\n${wrong.join("\n")}`)
  } finally {
    db.close()
  }
}
