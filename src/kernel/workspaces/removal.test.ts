/** Refusals of the one place that removes worktrees, whatever calls it. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { TaskId } from "../../base/ids.ts"
import { openDb } from "../store/open.ts"
import { markMade } from "./made-here.ts"
import { removeOwnWorktree, sweepTrash } from "./removal.ts"
import { listTrash } from "./rows/trash.ts"
import { findOwnWorktree, forgetWorktree, recordWorktree } from "./rows/worktrees.ts"

class Removal implements Disposable {
  readonly repo = new TestRepo()
  readonly db = openDb(":memory:")
  readonly deleting = new AbortController()
  background: Promise<unknown> = Promise.resolve()
  readonly place = { root: this.repo.path, commonDir: join(this.repo.path, ".git") }

  /** A worktree that the store knows as made by this home. */
  own(name: string): string {
    const path = this.repo.worktree(name)
    markMade(this.gitDir(path))
    this.record(path)
    return path
  }
  record(path: string): void {
    const task = 7 as TaskId
    recordWorktree(this.db, { path, repo: this.repo.path, purpose: "task", task, branch: null })
  }
  async remove(path: string): Promise<string | undefined> {
    const inBackground = (work: Promise<unknown>) => {
      this.background = work
    }
    const context = { db: this.db, deleting: this.deleting.signal, inBackground }
    const why = await removeOwnWorktree(context, this.place, path)
    await this.background
    return why
  }
  gitDir(path: string): string {
    return this.repo.gitIn(path, "rev-parse", "--absolute-git-dir")
  }
  [Symbol.dispose]() {
    this.repo[Symbol.dispose]()
  }
}

type Foreign = { readonly what: string; readonly arrange: (it: Removal) => string }

const FOREIGN: readonly Foreign[] = [
  { what: "a person's worktree", arrange: (it) => it.repo.worktree("persons") },
  { what: "the user's checkout", arrange: ({ repo }) => repo.path },
  {
    what: "the user's checkout, although it is on record",
    arrange: (it) => {
      it.record(it.repo.path)
      return it.repo.path
    },
  },
  {
    what: "a folder around the repository, although it is on record",
    arrange: (it) => {
      writeFileSync(join(it.repo.folder, ".git"), `gitdir: ${join(it.repo.path, ".git")}\n`)
      it.record(it.repo.folder)
      return it.repo.folder
    },
  },
  {
    what: "a worktree whose entry says that its files lie elsewhere",
    arrange: (it) => {
      const path = it.own("w")
      writeFileSync(join(it.gitDir(path), "gitdir"), `${join(it.repo.path, ".git")}\n`)
      return path
    },
  },
  {
    what: "a person's folder in the place of a worktree",
    arrange: (it) => {
      const path = it.own("w")
      rmSync(path, { recursive: true })
      it.repo.write({ "mine.txt": "mine" }, path)
      return path
    },
  },
  {
    what: "a person's repository in the place of a worktree",
    arrange: (it) => {
      const path = it.own("w")
      rmSync(path, { recursive: true })
      it.repo.git("init", "--quiet", path)
      return path
    },
  },
  {
    what: "a person's worktree that was moved to the place of ours",
    arrange: (it) => {
      const path = it.own("w")
      rmSync(path, { recursive: true })
      renameSync(it.repo.worktree("persons"), path)
      return path
    },
  },
  {
    what: "a person's worktree that was added in the place of ours",
    arrange: (it) => {
      const path = it.own("w")
      it.repo.git("worktree", "remove", "--force", path)
      it.repo.git("worktree", "add", "--quiet", "-b", "persons", path)
      return path
    },
  },
  {
    what: "the destination of a link in place of a worktree",
    arrange: (it) => {
      const path = it.own("w")
      renameSync(path, `${path}-moved`)
      symlinkSync(`${path}-moved`, path)
      return path
    },
  },
  {
    what: "a worktree that holds a person's worktree",
    arrange: (it) => {
      const path = it.own("w")
      it.repo.git("worktree", "add", "--quiet", "--detach", join(path, "build/inner"))
      return path
    },
  },
]

test.each(FOREIGN)("never removed: $what [33.1]", async ({ arrange }) => {
  using it = new Removal()
  const path = arrange(it)
  const [files, worktrees] = [readdirSync(path), it.repo.git("worktree", "list")]
  expect(await it.remove(path)).toContain(path)
  expect(readdirSync(path)).toEqual(files)
  expect(readdirSync(dirname(path)).join()).not.toContain("trash")
  expect(it.repo.git("worktree", "list")).toBe(worktrees)
  expect(listTrash(it.db, it.repo.path)).toEqual([])
})

test("a worktree of ours is removed whole, repeatably, and its path is free then", async () => {
  using it = new Removal()
  const path = it.own("w")
  it.repo.write({ "deep/file.txt": "f" }, path)
  expect(await it.remove(path)).toBeUndefined()
  expect(readdirSync(dirname(path))).toEqual([])
  expect(it.repo.git("worktree", "list").split("\n")).toHaveLength(1)
  expect(findOwnWorktree(it.db, path)).toBeUndefined()
  expect(listTrash(it.db, it.repo.path)).toEqual([])
  expect(await it.remove(path)).toBeUndefined()
})

test("git's entry for an unrecorded path stays, also when the folder is gone", async () => {
  using it = new Removal()
  const path = it.own("persons")
  forgetWorktree(it.db, path)
  rmSync(path, { recursive: true })
  expect(await it.remove(path)).toBeUndefined()
  expect(it.repo.git("worktree", "list")).toContain(path)
})

test("the next process finishes the deletions of a dead one; a folder that only has such a name stays [33.5]", async () => {
  using it = new Removal()
  const path = it.own("w")
  const persons = `${path}.coppice-trash-0123456789ab`
  mkdirSync(persons)
  writeFileSync(join(persons, "mine.txt"), "mine")
  it.deleting.abort()
  expect(await it.remove(path)).toBeUndefined()
  const [trash = ""] = listTrash(it.db, it.repo.path)
  expect(existsSync(join(trash, "README.md"))).toBe(true)
  await sweepTrash({ db: it.db, deleting: new AbortController().signal }, it.repo.path)
  expect(existsSync(trash)).toBe(false)
  expect(listTrash(it.db, it.repo.path)).toEqual([])
  expect(readFileSync(join(persons, "mine.txt"), "utf8")).toBe("mine")
})
