import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LANDING_STORY } from "../../../test/support/landing-story.ts"
import { TestFolder } from "../../../test/support/store.ts"
import { type Db, openDb } from "./open.ts"

/** Everything that is stored, table by table. */
function contents(db: Db): string {
  const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name")
  const rows = (tables.all() as { name: string }[]).map(({ name }) => [
    name,
    db.prepare(`select * from ${name}`).all(),
  ])
  return JSON.stringify(rows, null, 1)
}

/** Calls `before` before every statement of `db`, also those that begin and end a transaction. */
function beforeEachStatement(db: Db, before: () => void): Disposable {
  const statement = Object.getPrototypeOf(db.prepare("select 1"))
  const { run, get, all } = statement
  let inside = false
  for (const [name, method] of Object.entries({ run, get, all }))
    statement[name] = function (...args: unknown[]) {
      if (!inside && this.database === db) {
        inside = true
        before()
        inside = false
      }
      return method.apply(this, args)
    }
  return { [Symbol.dispose]: () => void Object.assign(statement, { run, get, all }) }
}

/** A start right after the process with the open database died. */
function contentsAfterCrash(path: string, into: string): string {
  mkdirSync(into)
  const copy = join(into, "coppice.db")
  copyFileSync(path, copy)
  copyFileSync(`${path}-wal`, `${copy}-wal`)
  const db = openDb(copy)
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok")
  expect(db.pragma("foreign_key_check")).toEqual([])
  const found = contents(db)
  db.close()
  return found
}

test("a crash before any statement leaves whole steps: all that were done, nothing of the next [7.1]", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  const crashes: { done: number; found: string }[] = []
  const steps = [contents(db)]
  {
    using _watched = beforeEachStatement(db, () => {
      const into = join(folder.path, `crash-${crashes.length}`)
      crashes.push({ done: steps.length - 1, found: contentsAfterCrash(path, into) })
    })
    for (const step of LANDING_STORY) {
      step(db)
      steps.push(contentsAfterCrash(path, join(folder.path, `step-${steps.length}`)))
    }
  }
  expect(crashes.length).toBeGreaterThan(3 * LANDING_STORY.length)
  expect(new Set(steps).size, "every step shows").toBe(LANDING_STORY.length + 1)
  for (const { done, found } of crashes) expect(found).toBe(steps[done])
})

test("a process that is killed in a transaction leaves what it had committed, and no lock", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const half = `
    const [root, path] = process.argv.slice(1)
    const { openDb } = await import(root + "src/kernel/store/open.ts")
    const { transaction } = await import(root + "src/kernel/store/sql.ts")
    const { LANDING_STORY: [first, ...rest] } = await import(root + "test/support/landing-story.ts")
    const db = openDb(path)
    first(db)
    transaction(db, () => {
      for (const step of rest) step(db)
      process.kill(process.pid, "SIGKILL")
      while (true) {}
    })`
  const root = new URL("../../..", import.meta.url).href
  const args = ["--input-type=module", "-e", half, root, path]
  expect(spawnSync(process.execPath, args, { encoding: "utf8" })).toMatchObject({
    signal: "SIGKILL",
    stderr: "",
  })

  const only = openDb(":memory:")
  LANDING_STORY[0]?.(only)
  const db = openDb(path)
  expect(contents(db)).toBe(contents(only))
  for (const step of LANDING_STORY.slice(1)) step(db)
  expect(db.prepare("select state from tasks").all()).toEqual([{ state: "complete" }])
})
