import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { addSampleTask, TestFolder } from "../../test/support/store.ts"
import { listJobs } from "./jobs/list.ts"
import { openDb } from "./open.ts"
import { latestSession } from "./sessions/latest.ts"
import { sql } from "./sql.ts"
import { findTask } from "./tasks/find.ts"

const FIRST = readFileSync(new URL("./migrations/0001.sql", import.meta.url), "utf8")

const HELD = `
  insert into tasks (id, title, prompt, agent, state, land, created_at, updated_at)
    values (7, 'Greet people', 'Say hello.', 'coder', 'working', 'merge', 1, 2);
  insert into task_repos (task, name, path, target) values (7, 'app', '/repos/app', 'main');
  insert into jobs (id, task, state, started_at) values (3, 7, 'running', 1);
  insert into sessions (id, job, started_at) values ('5e55', 3, 1);
  insert into turns (task, n, session, prompt, begun_at) values (7, 1, '5e55', 'Say hello.', 2);`

test("a database of the first version keeps its tasks and all that refers to them", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const old = openDb(path)
  old.exec("pragma foreign_keys = off")
  for (const row of sql(old, "select name from sqlite_schema where type = 'table'").list())
    if (!String(row["name"]).startsWith("sqlite_")) old.exec(`drop table ${row["name"]}`)
  old.exec(FIRST + HELD)
  old.pragma("user_version = 1")
  old.close()

  const db = openDb(path)
  expect(findTask(db, 7 as never)).toMatchObject({
    ...{ title: "Greet people", agent: "coder", state: "working", priority: 0 },
    repos: [{ name: "app", takenBack: null }],
  })
  expect(latestSession(db, 7 as never)).toEqual({ id: "5e55", heldBy: null, usedAtMs: 2 })
  expect(listJobs(db, 7 as never)).toEqual([{ id: 3, state: "running", sessions: ["5e55"] }])
  expect(sql(db, "select job from turns").list()).toEqual([{ job: 3 }])
  expect(addSampleTask(db).id).toBe(8)
  sql(db, "delete from tasks where id = 7").run()
  expect(sql(db, "select * from jobs").list()).toEqual([])
})
