/** Each source has one driver, whatever happens to its configuration. */
import { expect, test } from "vitest"
import type { SourceConfig } from "../../config/config.ts"
import { openDb } from "../../kernel/store/open.ts"
import type { Creator } from "../../kernel/tasks/actions/create-task.ts"
import type { Listed, Source } from "./source.ts"
import { SourceLoop } from "./source-loop.ts"

test("a source that is removed and added again while it is at work has one driver", async () => {
  const db = openDb(":memory:")
  const config = { name: "gh", type: "github", intervalMs: 60_000, openMax: 2 } as SourceConfig
  const asked = Promise.withResolvers<Listed>()
  let sources = [config]
  let created = 0
  const loop = new SourceLoop({
    fleet: {
      db,
      world: { nowMs: () => 1_000_000, dice: () => 0, point: () => {} },
      config: () => ({ sources }),
    } as unknown as Creator,
    createSource: () => {
      created++
      return { list: () => asked.promise } as unknown as Source
    },
    onError: (error) => {
      throw error
    },
  })
  const first = loop.tick()
  sources = []
  await loop.tick()
  sources = [config]
  const second = loop.tick()
  let isStopped = false
  const stopped = loop.stop().then(() => (isStopped = true))
  await new Promise(setImmediate)
  expect({ created, isStopped }).toEqual({ created: 1, isStopped: false })
  asked.resolve({ ready: [], isWhole: true, problems: [] })
  await Promise.all([first, second, stopped])
})
