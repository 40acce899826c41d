/** A named pipe in a worktree that waits: whatever reads it would wait for ever. */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"

const PLACES: readonly [string, (path: string, dir: string) => string][] = [
  ["beside its files", (path) => join(path, "pipe")],
  ["in a folder", (path) => join(path, "sub/pipe")],
  ["in place of a tracked file", (path) => join(path, "README.md")],
  ["in place of its .git", (path) => join(path, ".git")],
  ["in place of its index", (_, dir) => join(dir, "index")],
]

const isPipe = (file: string) => statSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false

test.each(PLACES)(
  "a worktree with a named pipe %s is given to no task, and another takes its place [27.8]",
  async (name, place) => {
    for (const when of name === "in a folder" ? ["tended"] : ["claimed", "tended"]) {
      await using bench = await PoolBench.of(1)
      const { repo } = bench
      const [{ path } = { path: "" }] = bench.entries()
      const pipe = place(path, repo.gitIn(path, "rev-parse", "--absolute-git-dir"))
      rmSync(pipe, { force: true })
      mkdirSync(dirname(pipe), { recursive: true })
      execFileSync("mkfifo", [pipe])
      repo.commit({ "README.md": "changed\n" })
      const tend = async () => {
        bench.tend()
        await bench.tended()
      }
      if (when === "tended") await tend()

      const { worktree } = await bench.setUp(7)

      expect(worktree === path && isPipe(pipe)).toBe(false)
      await tend()
      expect(Object.values(bench.states())).toEqual(["ready"])
      // The path of one that went is free; one that looks like a person's stays.
      expect(bench.entries()[0]?.path === path).toBe(worktree !== path && !isPipe(pipe))
    }
  },
)
