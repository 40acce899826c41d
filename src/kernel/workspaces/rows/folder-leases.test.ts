import { join } from "node:path"
import { expect, test } from "vitest"
import { addSampleTask, forceState, TestFolder } from "../../../../test/support/store.ts"
import type { Purpose } from "../../process/process-purpose.ts"
import { openDb } from "../../store/open.ts"
import { addProcess } from "../../store/processes.ts"
import { claimFolders, findFolderUser } from "./folder-leases.ts"

test("an agent's process keeps a folder for its task, and a person's terminal does not [38.36]", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  const [first, second] = [addSampleTask(db), addSampleTask(db)]
  expect(claimFolders(db, first)).toBe(true)
  forceState(db, first.id, "complete")
  const facts = { identity: "boot:1", mark: "m", cgroup: null, task: first.id, session: null }
  const started = (pid: number, purpose: Purpose) => addProcess(db, { ...facts, pid, purpose })
  started(1, "terminal")
  expect(findFolderUser(db, second.id)).toBeUndefined()
  started(2, "agent")
  expect(findFolderUser(db, second.id)).toMatchObject({ task: first.id })
  db.close()
})
