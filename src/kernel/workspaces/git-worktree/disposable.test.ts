import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { strategyOf } from "../../../../test/support/workspaces.ts"
import type { TaskId } from "../../../base/ids.ts"

const task = 7 as TaskId

class Disposables implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly strategy = strategyOf("/home/of/this/test")
  readonly gitFolder = join(this.repo.path, ".git/worktrees")

  async add(strategy = this.strategy): Promise<string> {
    const { path } = this.repo
    const place = { repo: path, repoName: "app", worktreeDir: "../<repo>.worktrees" }
    const commit = this.repo.tip("main")
    const { signal } = new AbortController()
    const request = { ...place, task, commit, copy: [], link: [], isContained: false, signal }
    return (await strategy.addDisposable(request)).worktree
  }

  async remove(): Promise<void> {
    await this.strategy.removeDisposable(this.repo.path, task, async () => {})
    await this.strategy.settled()
  }

  /** Worktrees that git knows, and that are on disk. */
  left(): string[] {
    const folders = [this.gitFolder, join(this.repo.folder, "app.worktrees")]
    return folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.strategy.settled()
    this.repo[Symbol.dispose]()
  }
}

test("it is detached at its commit, whole, and removed without a trace", async () => {
  await using it = new Disposables()
  it.repo.git("config", "core.sparseCheckout", "true")
  const worktree = await it.add()
  expect(it.repo.gitIn(worktree, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD")
  expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
  expect(existsSync(join(worktree, "README.md"))).toBe(true)
  it.repo.write({ "dirt.txt": "dirt" }, worktree)
  await it.remove()
  expect(it.left()).toEqual([])
  await it.remove()
})

test.each<[string, (it: Disposables, worktree: string, own: string) => void]>([
  ["whole", () => {}],
  [
    "not filled",
    (_, worktree, own) => {
      rmSync(join(own, "index"))
      rmSync(join(worktree, "README.md"))
    },
  ],
  ["without its folder", (_, worktree) => rmSync(worktree, { recursive: true })],
  ["in a folder that git does not know", (_, __, own) => rmSync(own, { recursive: true })],
  [
    "known to git by its name alone",
    (_, worktree, own) => {
      rmSync(worktree, { recursive: true })
      rmSync(own, { recursive: true })
      mkdirSync(own)
    },
  ],
])("leftovers of a try are cleared, and the next is at the same path: %s", async (_, disturb) => {
  await using it = new Disposables()
  const worktree = await it.add()
  disturb(it, worktree, it.repo.gitIn(worktree, "rev-parse", "--absolute-git-dir"))
  expect(await it.add()).toBe(worktree)
  expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
  await it.remove()
  expect(it.left()).toEqual([])
})

test("another home's, for a task of the same number, is another one", async () => {
  await using it = new Disposables()
  const worktree = await it.add(strategyOf("/another/home"))
  expect(await it.add()).not.toBe(worktree)
  await it.remove()
  expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
})
