/** A folder with a bare repository in `.bare`, a `.git` file, and its worktrees beside each other. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

test("the committed coppice.yml of the main worktree is in force: its gate runs, and landed work shows there", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  const mark = join(home.path, "gate")
  const agent = { runtime: "command", command: "exec sh" }
  const file = { version: 1, repos: { app: { gate: `pwd >> ${mark}` } }, agents: { sh: agent } }
  repo.commit({ "coppice.yml": JSON.stringify(file) }, "configure")
  const project = join(repo.folder, "project")
  repo.git("clone", "--quiet", "--bare", repo.path, join(project, ".bare"))
  writeFileSync(join(project, ".git"), "gitdir: ./.bare\n")
  repo.gitIn(project, "worktree", "add", "--quiet", "main", "main")
  const env = home.env()
  const run = (place: string, ...args: string[]) => coppice(place, args, { env, trusted: false })

  const main = join(project, "main")
  expect((await run(main, "trust", "--yes")).code).toBe(0)
  const { stdout } = await run(project, "run", "echo 1 > one.txt", "--json")
  const task = TaskDocument.parse(JSON.parse(stdout))
  expect(task).toMatchObject({ state: "complete", agent: "sh", landing: { outcome: "LANDED" } })
  expect(existsSync(join(main, "one.txt"))).toBe(true)
  expect(readFileSync(mark, "utf8").trim().split("\n")).toHaveLength(1)
})
