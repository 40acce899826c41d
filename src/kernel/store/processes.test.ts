import { expect, test } from "vitest"
import type { SessionId } from "../../base/ids.ts"
import { isSessionFree } from "../tasks/rows/sessions/find.ts"
import { openDb } from "./open.ts"
import { addProcess, listProcesses, removeProcess } from "./processes.ts"

test("processes are known until they are removed; a pid that comes again is the later one's", () => {
  const db = openDb(":memory:")
  const what = { mark: "m", cgroup: null, task: null, purpose: "gate", session: null } as const
  const first = { pid: 7, identity: "boot:100", ...what } as const
  const second = { ...first, identity: "boot:200", purpose: "agent" } as const
  addProcess(db, first)
  addProcess(db, { ...first, pid: 8 })
  addProcess(db, second)
  expect(listProcesses(db)).toEqual([second, { ...first, pid: 8 }])
  removeProcess(db, 8)
  removeProcess(db, 8)
  expect(listProcesses(db)).toEqual([second])
})

test("of a session one process is known at a time [10.3]", () => {
  const db = openDb(":memory:")
  const session = "s" as SessionId
  const first = {
    pid: 7,
    identity: "boot:100",
    mark: "m",
    cgroup: "/g",
    task: null,
    purpose: "agent",
  } as const
  addProcess(db, { ...first, session })
  addProcess(db, { ...first, pid: 8, session: null })
  expect(isSessionFree(db, session)).toBe(false)
  expect(() => addProcess(db, { ...first, pid: 9, session })).toThrow("UNIQUE")
  removeProcess(db, 7)
  expect(isSessionFree(db, session)).toBe(true)
  addProcess(db, { ...first, pid: 9, session })
})
