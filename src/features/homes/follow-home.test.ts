import { mkdirSync, mkdtempDisposableSync, renameSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { findHomeRow, PATH_COLUMNS } from "../../kernel/store/home.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findOwnWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import { changeTrust, readTrust } from "../trust/trust-record.ts"
import { followHome } from "./follow-home.ts"

test("a start that is killed after each step of following a home is done again by the next [34.8]", async () => {
  using repo = new TestRepo()
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-state-"))
  await using it = new LandingTest(repo, { gate: false })
  const { name } = findHomeRow(it.db)!
  const worktree = repo.worktree("feat")
  const id = it.begin({ branch: "feat", worktree })
  changeTrust(state.path, (now) => ({ ...now, git: { [`${repo.path}/.git`]: "hash" } }))
  const moved = `${repo.folder}/moved`
  renameSync(repo.path, moved)

  // The transaction is as good as not begun where a kill, or here a trigger, ends it.
  it.db.exec("create trigger killed before update on home begin select raise(abort, 'killed'); end")
  const place = { home: moved, stateDir: state.path }
  await expect(followHome(it.db, place)).rejects.toThrow("killed")
  expect(findHomeRow(it.db)?.path).toBe(repo.path)
  expect(findTask(it.db, id)?.repos[0]?.path).toBe(repo.path)
  it.db.exec("drop trigger killed")
  await followHome(it.db, place)

  expect(findHomeRow(it.db)).toEqual({ name, path: moved })
  expect(findTask(it.db, id)?.repos).toMatchObject([
    { path: moved, worktree, entry: `${moved}/.git/worktrees/feat` },
  ])
  expect(findOwnWorktree(it.db, worktree)?.repo).toBe(moved)
  expect(readTrust(state.path).git).toEqual({ [`${moved}/.git`]: "hash" })
  expect(repo.gitIn(worktree, "rev-parse", "--abbrev-ref", "HEAD")).toBe("feat")
})

test.each<[string, (place: string, it: { repo: TestRepo; other: TestRepo }) => void]>([
  ["a repository", (place, { other }) => renameSync(other.path, place)],
  [
    "a worktree of another repository",
    (place, { other }) => void other.git("worktree", "add", "-q", "--detach", place),
  ],
  [
    "another worktree of this one",
    (place, { repo }) => void repo.git("worktree", "add", "-q", "--detach", place),
  ],
  ["a folder", (place) => void mkdirSync(place)],
])("%s where a worktree would have moved along is not taken for it [34.6]", async (_, make) => {
  using repo = new TestRepo()
  using other = new TestRepo()
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-state-"))
  await using it = new LandingTest(repo, { gate: false })
  const worktree = `${repo.path}.worktrees/feat`
  repo.git("worktree", "add", "-q", "-b", "feat", worktree)
  const id = it.begin({ branch: "feat", worktree })
  const moved = `${repo.folder}/moved`
  mkdirSync(`${moved}.worktrees`)
  make(`${moved}.worktrees/feat`, { repo, other })
  renameSync(worktree, `${repo.folder}/far`) // a person has put it into a place of their own
  renameSync(repo.path, moved)

  await followHome(it.db, { home: moved, stateDir: state.path })
  expect(findTask(it.db, id)?.repos).toMatchObject([{ path: moved, worktree }])
})

test("a repository whose configuration names its old place is reported, and nothing is recorded", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  it.begin({ branch: "feat", worktree: repo.worktree("feat") })
  repo.git("config", "core.worktree", repo.path)
  renameSync(repo.path, `${repo.folder}/moved`)
  const place = { home: `${repo.folder}/moved`, stateDir: repo.folder }
  await expect(followHome(it.db, place)).rejects.toMatchObject({
    code: "home.unmended",
    hints: [expect.stringContaining("config core.worktree"), expect.any(String)],
  })
  expect(findHomeRow(it.db)?.path).toBe(repo.path)
})

test("every column with a path follows the home", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const found = it.db
    .prepare<[], { table: string; column: string }>(
      `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
       where m.type = 'table' and m.name <> 'home'
         and c.name in ('path', 'repo', 'folder', 'worktree', 'entry') order by m.rowid, c.cid`,
    )
    .all()
  const listed = Object.entries(PATH_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  )
  expect(found.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(listed.sort())
})
