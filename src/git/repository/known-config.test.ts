import { appendFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { listConfig } from "./config.ts"
import { listKnownConfig } from "./known-config.ts"

const OURS = "^x\\."

/** Old enough for its time stamp to tell the next change. */
function aged(file: string): void {
  utimesSync(file, 1, 1)
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  Atomics.wait(waiting, 0, 0, 120) // ctime cannot be set
}

const valuesOf = async (repo: TestRepo) =>
  (await listKnownConfig(repo.path, OURS)).map(({ value }) => value)

test("tells what git tells", async () => {
  using repo = new TestRepo()
  repo.git("config", "x.Grün.key", "a\nb")
  appendFileSync(join(repo.path, ".git/config"), "[x]\n\tempty\n")
  expect(await listKnownConfig(repo.path, "^x\\.(Grün\\.key|empty)$")).toEqual(
    await listConfig(repo.path, "^x\\.(Grün\\.key|empty)$"),
  )
})

test("a file that has changed is read again, wherever git reads it", async () => {
  using repo = new TestRepo()
  const file = join(repo.path, ".git/config")
  repo.git("config", "x.y", "1")
  aged(file)
  expect(await valuesOf(repo)).toEqual(["1"])
  expect(await valuesOf(repo)).toEqual(["1"])
  repo.git("config", "x.y", "2")
  expect(await valuesOf(repo)).toEqual(["2"])
  repo.git("config", "extensions.worktreeConfig", "true")
  aged(file)
  expect(await valuesOf(repo)).toEqual(["2"])
  repo.git("config", "--worktree", "x.z", "3")
  expect(await valuesOf(repo)).toEqual(["2", "3"])
})

test("what a file includes is asked for each time", async () => {
  using repo = new TestRepo()
  const included = join(repo.folder, "included")
  repo.git("config", "include.path", included)
  aged(join(repo.path, ".git/config"))
  expect(await valuesOf(repo)).toEqual([])
  writeFileSync(included, "[x]\n\ty = 1\n")
  expect(await valuesOf(repo)).toEqual(["1"])
})
