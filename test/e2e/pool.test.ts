/** A pool of worktrees through the daemon: a task finds its worktree made and set up. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { StatusDocument, TaskDocument } from "../../src/core/wire.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

/** More than core/pool.ts asks for. */
const FILES = 5_001
const SETUP = 'echo "$COPPICE_WORKTREE_PATH $COPPICE_TASK" >> "$STEPS/setup"; mkdir node_modules\n'

test("where a pool pays it is on by itself: the next task finds its worktree made and set up, and status says what it takes", async () => {
  await using fleet = new Fleet({
    repo: { setup: "sh install.sh", gate: "test -d node_modules" },
  })
  const { repo } = fleet
  const names = Array.from({ length: FILES }, (_, n) => [`d${n % 50}/${n}`, `${n}\n`])
  repo.commit({
    ...Object.fromEntries(names),
    ".gitignore": "node_modules/\n",
    "install.sh": SETUP,
  })
  const worktrees = join(repo.folder, "app.worktrees")
  const waiting = (n: number) => join(worktrees, `pool-${n}`)

  const look = 'pwd >> "$STEPS/seen"; ls node_modules >> "$STEPS/seen"'
  const first = await fleet.json(TaskDocument, ["run", `${look}; echo 1 > one.txt`])
  expect(first).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  await fleet.client.queue() // whatever it answers: the daemon is there
  await waitFor(
    "a worktree that waits at the new target",
    async () => (await fleet.json(StatusDocument, ["status"])).pool?.worktrees === 1,
    60_000,
  )
  const second = await fleet.json(TaskDocument, ["run", `${look}; ls one.txt; echo 2 > two.txt`])

  expect(second).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.noted("seen")).toEqual([
    join(worktrees, "1-pwd-steps-seen-ls-node-modules-steps-se"),
    waiting(1),
  ])
  const setUps = fleet.noted("setup")
  expect(setUps.filter((line) => line.endsWith(" 1"))).toHaveLength(1)
  expect(setUps.filter((line) => line.endsWith(" 2"))).toEqual([])
  expect(existsSync(waiting(1))).toBe(false) // gone with its task
})
