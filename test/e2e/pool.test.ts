/** A pool of worktrees through the daemon: a task finds its worktree made and set up. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

/** More than features/pool/rules.ts asks for. */
const FILES = 5_001
const SETUP = `echo "$(pwd) $(env | grep -c _TASK=)" >> "$STEPS/setup"; mkdir node_modules
echo made > made.txt; echo touched >> d0/0
`

test("a pool that pays is on by default: the next task finds its worktree ready, and status shows its size [27.1]", async () => {
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
  const first = await fleet.json(TaskDocument, [
    "run",
    "--title",
    "one",
    `${look}; echo 1 > one.txt`,
  ])
  expect(first).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  await waitFor(
    "a worktree that waits at the new target",
    async () => (await fleet.json(StatusDocument, ["status"])).pool?.worktrees === 1,
    60_000,
  )
  const second = await fleet.json(TaskDocument, ["run", `${look}; ls one.txt; echo 2 > two.txt`])

  expect(second).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(repo.git("show", "--format=", "--name-only", "main")).toBe("two.txt")
  expect(repo.git("ls-tree", "--name-only", "main", "made.txt")).toBe("")
  const { stdout: log } = await fleet.coppice("logs", second.id)
  expect(log).toContain("set-up left 1 untracked file (made.txt)")
  expect(fleet.noted("seen")).toEqual([join(worktrees, "1-one"), waiting(1)])
  const setUps = fleet.noted("setup").slice(0, 2)
  expect(setUps).toEqual([`${join(worktrees, "1-one")} 1`, `${waiting(1)} 0`]) // 0: of no task
  expect(existsSync(waiting(1))).toBe(false) // gone with its task
})
