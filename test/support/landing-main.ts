/**
 * A program of its own that carries one landing as far as it goes: something to kill. With KILL_AT
 * it kills itself at that point, given by its number or by its name.
 */
import { assert } from "../../src/base/assert.ts"
import type { LandingId } from "../../src/base/ids.ts"
import { LandingTest } from "./landing.ts"
import { TestRepo } from "./repo.ts"

const [folder, path, dbPath, id, gate] = process.argv.slice(2)
assert(folder && path && dbPath && id, "repository, store and landing are given")
const repo = Object.assign(Object.create(TestRepo.prototype), { folder, path }) as TestRepo
await using it = new LandingTest(repo, {
  path,
  dbPath,
  gate: gate ?? false,
  pushTarget: process.env["PUSH_TARGET"] === "1",
})
const killAt = process.env["KILL_AT"]
it.onPoint = (name) => {
  if (killAt === name || killAt === String(it.points.length - 1))
    process.kill(process.pid, "SIGKILL")
}
await it.run(Number(id) as LandingId)
