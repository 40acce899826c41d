import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestFolder } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { watchForChanges } from "./watch-file.ts"

test("a file in an unwatchable folder is checked from time to time", async () => {
  using base = new TestFolder()
  const folder = join(base.path, "later")
  let changes = 0
  const errors: unknown[] = []
  const end = watchForChanges({
    folder,
    name: "session.json",
    onChange: () => void changes++,
    onError: (error) => void errors.push(error),
  })
  mkdirSync(folder)
  let text = ""
  await waitFor("a change", () => {
    text += "x" // the first content that we read does not count as a change
    writeFileSync(join(folder, "session.json"), text)
    return changes > 1
  })
  end()
  expect(errors).toEqual([])
})
