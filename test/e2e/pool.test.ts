/** A pool of worktrees through the daemon: tasks that follow each other work in the same place. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/core/wire.ts"
import { Fleet } from "../support/fleet.ts"

const SETUP = 'echo setup >> "$STEPS/setup"; mkdir -p node_modules; echo dep > node_modules/dep\n'

test("three tasks one after another work in one worktree, set up once, and all of them land", async () => {
  await using fleet = new Fleet({
    repo: { setup: "sh install.sh", gate: "test -f node_modules/dep" },
    sh: { workspace: { pool: { size: 1, ahead: 0, keep: ["node_modules"] } } },
  })
  fleet.repo.commit({ ".gitignore": "node_modules/\n", "install.sh": SETUP })
  for (const name of ["one", "two", "three"]) {
    const look = `pwd >> "$STEPS/seen"; ls >> "$STEPS/seen-${name}"`
    const task = await fleet.json(TaskDocument, ["run", `${look}; echo ${name} > ${name}.txt`])
    expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
    expect(task.repos[0]?.worktree).toBeNull()
  }
  const path = join(fleet.repo.folder, "app.worktrees/pool-1")
  expect(fleet.noted("seen")).toEqual([path, path, path])
  expect(fleet.noted("setup")).toEqual(["setup"])
  const files = ["README.md", "coppice.yml", "install.sh", "node_modules", "one.txt", "two.txt"]
  expect(fleet.noted("seen-three").sort()).toEqual(files)
  expect(fleet.repo.git("show", "main:three.txt")).toBe("three")
  expect(globSync("*", { cwd: join(fleet.repo.folder, "app.worktrees") })).toEqual(["pool-1"])
  expect(readFileSync(join(path, "node_modules/dep"), "utf8")).toBe("dep\n")
})
