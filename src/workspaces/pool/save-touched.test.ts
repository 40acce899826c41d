import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import { listRescues } from "../rescue/list.ts"

/** What was to be cleaned when its daemon died, a minute ago. */
async function withFilling() {
  const bench = await PoolBench.of({ size: 1, ahead: 1 })
  const [entry] = bench.entries()
  recordPoolEntry(bench.db, entry!, { state: "filling" }, Date.now() - 60_000)
  return { bench, path: entry!.path }
}

async function startAgain(bench: PoolBench): Promise<void> {
  bench.restart()
  bench.tend()
  await bench.tended()
}

test("what a person did in a worktree that was to be cleaned, while no daemon ran, is saved first", async () => {
  const { bench, path } = await withFilling()
  await using _ = bench
  const reset = bench.repo.commit({ "reset.txt": "r" }, "reset", path)
  bench.repo.gitIn(path, "reset", "--quiet", "--hard", "HEAD~1")
  const commit = bench.repo.commit({ "commit.txt": "c" }, "commit", path)
  bench.repo.write({ "README.md": "edited", "new.txt": "n" }, path)
  await startAgain(bench)

  const rescues = await listRescues(bench.repo.path)
  expect(rescues.map(({ task, n }) => `${task}/${n}`).toSorted()).toEqual(["pool/1", "pool/2"])
  expect(bench.repo.tip("refs/coppice/rescue/pool/1^1")).toBe(commit)
  expect(bench.repo.git("show", "refs/coppice/rescue/pool/1:new.txt")).toBe("n")
  expect(bench.repo.git("show", "refs/coppice/rescue/pool/1:README.md")).toBe("edited")
  expect(bench.repo.tip("refs/coppice/rescue/pool/2")).toBe(reset)
  expect([bench.states(), existsSync(join(path, "new.txt"))]).toEqual([
    { "pool-1": "ready" },
    false,
  ])
})

test("of a worktree in which nobody was nothing is saved, also where its first checkout was cut off", async () => {
  const { bench, path } = await withFilling()
  await using _ = bench
  await startAgain(bench)
  const [entry] = bench.entries()
  recordPoolEntry(bench.db, entry!, { state: "filling", base: null }, Date.now() - 60_000)
  const dir = bench.repo.gitIn(path, "rev-parse", "--absolute-git-dir")
  bench.repo.write({ index: null }, dir)
  await startAgain(bench)
  expect(await listRescues(bench.repo.path)).toEqual([])
  expect(bench.states()).toEqual({ "pool-1": "ready" })
})

test("a file where its commit has a folder is saved as well", async () => {
  const { bench, path } = await withFilling()
  await using _ = bench
  const commit = bench.repo.commit({ "in/a.txt": "a" }, "a folder", path)
  bench.repo.write({ "in/a.txt": null }, path)
  rmSync(join(path, "in"), { recursive: true, force: true })
  bench.repo.write({ in: "a file" }, path)
  bench.repo.git("branch", "kept", commit)
  await startAgain(bench)
  expect(bench.repo.git("show", "refs/coppice/rescue/pool/1:in")).toBe("a file")
  expect(bench.states()).toEqual({ "pool-1": "ready" })
})

test("what cannot be saved is left alone, and is the pool's no more", async () => {
  const { bench, path } = await withFilling()
  await using _ = bench
  bench.repo.git("init", "--quiet", join(path, "nested"))
  bench.repo.commit({ "in.txt": "i" }, "in", join(path, "nested"))
  await startAgain(bench)
  expect(existsSync(join(path, "nested/.git"))).toBe(true)
  expect(bench.states()).toEqual({ "pool-2": "ready" })
})
