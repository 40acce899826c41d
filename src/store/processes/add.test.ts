import { expect, test } from "vitest"
import { openDb } from "../open.ts"
import { addProcess } from "./add.ts"
import { listProcesses } from "./list.ts"
import { removeProcess } from "./remove.ts"

test("processes are known until they are removed; a pid that comes again is the later one's", () => {
  const db = openDb(":memory:")
  const first = { pid: 7, identity: "boot:100", mark: "m", task: null, purpose: "gate" } as const
  const second = { ...first, identity: "boot:200", purpose: "agent" } as const
  addProcess(db, first)
  addProcess(db, { ...first, pid: 8 })
  addProcess(db, second)
  expect(listProcesses(db)).toEqual([second, { ...first, pid: 8 }])
  removeProcess(db, 8)
  removeProcess(db, 8)
  expect(listProcesses(db)).toEqual([second])
})
