import { execFile } from "node:child_process"
import { mkdirSync, mkdtempDisposableSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { changeTrust, readTrust, TRUST_FILE } from "./trust-record.ts"

test("a change starts from the last write of any process [32.1]", () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  changeTrust(state.path, () => ({ config: "a", git: {} }))
  changeTrust(state.path, () => ({ config: undefined, git: {} }))
  changeTrust(state.path, (now) => ({ ...now, git: { "/x/.git": "hash" } }))
  expect(readTrust(state.path)).toEqual({ config: undefined, git: { "/x/.git": "hash" } })
})

const CHANGE = `
  const [module, state, name, atMs] = process.argv.slice(1)
  const { changeTrust } = await import(module)
  while (Date.now() < Number(atMs)); // all begin at the same time
  for (let n = 0; n < 100; n++)
    changeTrust(state, (now) => ({ ...now, git: { ...now.git, [name + n]: "hash" } }))
`

test("processes that change the record at the same time lose no change of each other [32.1]", async () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  writeFileSync(join(state.path, `${TRUST_FILE}.lock`), "") // of a process that has died
  utimesSync(join(state.path, `${TRUST_FILE}.lock`), 1_000_000_000, 1_000_000_000)
  const module = new URL("trust-record.ts", import.meta.url).href
  const change = promisify(execFile)
  const args = ["--input-type=module", "-e", CHANGE, module, state.path]
  const at = String(Date.now() + 1_500)
  await Promise.all(["a", "b", "c"].map((name) => change(process.execPath, [...args, name, at])))
  expect(Object.keys(readTrust(state.path).git)).toHaveLength(300)
  expect(readdirSync(state.path)).toEqual([TRUST_FILE])
})

test("a lock that a clock which was ahead has left is no younger than an old one", () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  const lock = join(state.path, `${TRUST_FILE}.lock`)
  writeFileSync(lock, "")
  utimesSync(lock, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400)
  changeTrust(state.path, () => ({ config: "a", git: {} }))
  expect(readdirSync(state.path)).toEqual([TRUST_FILE])
})

test("a record that the system does not let us write is named, and no draft of it is left", () => {
  using state = mkdtempDisposableSync(join(tmpdir(), "coppice-trust-"))
  const path = join(state.path, TRUST_FILE)
  mkdirSync(join(path, "in-the-way"), { recursive: true })
  expect(() => changeTrust(state.path, (now) => now)).toThrow(expect.objectContaining({ path }))
  expect(readdirSync(state.path)).toEqual([TRUST_FILE])
})
