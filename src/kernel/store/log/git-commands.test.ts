import { expect, test } from "vitest"
import { addSampleTask } from "../../../../test/support/store.ts"
import type { TaskId } from "../../../base/ids.ts"
import { openDb } from "../open.ts"
import { listGits, recordGits } from "./git-commands.ts"
import { listLog } from "./list.ts"

test("the latest git commands of a task are kept, apart from its log [12.11]", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const { id: other } = addSampleTask(db)
  recordGits(db, { task: other, lines: ["elsewhere"] }, 5)
  for (let n = 0; n < 250; n++) recordGits(db, { task, lines: [`git ${n}`, "another"] }, 5)
  const all = { after: 0, limit: 500 }
  const kept = listGits(db, { task, ...all })
  expect(kept).toHaveLength(200)
  expect(kept.at(-1)).toMatchObject({ task, kind: "git", text: "git 249\nanother" })
  expect(listGits(db, { task: other, ...all })).toHaveLength(1)
  expect(listLog(db, { task, ...all })).toEqual([])
  recordGits(db, { task: 999 as TaskId, lines: ["of a task that was deleted"] }, 5)
})
