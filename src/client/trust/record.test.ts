import { mkdirSync, mkdtempDisposableSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { changeTrust, readTrust, TRUST_FILE } from "./record.ts"

test("a change starts from the last write of any process [32.1]", () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  changeTrust(state.path, () => ({ config: "a", git: {} }))
  changeTrust(state.path, () => ({ config: undefined, git: {} }))
  changeTrust(state.path, (now) => ({ ...now, git: { "/x/.git": "hash" } }))
  expect(readTrust(state.path)).toEqual({ config: undefined, git: { "/x/.git": "hash" } })
})

test("a record that the system does not let us write is named, and no draft of it is left", () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  const path = join(state.path, TRUST_FILE)
  mkdirSync(join(path, "in-the-way"), { recursive: true })
  expect(() => changeTrust(state.path, (now) => now)).toThrow(expect.objectContaining({ path }))
  expect(readdirSync(state.path)).toEqual([TRUST_FILE])
})
