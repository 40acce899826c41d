import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { connect } from "./connect.ts"
import { stateDir } from "./state-dir.ts"

const scratch = mkdtempSync(join(tmpdir(), "coppice-state-"))
afterAll(() => rmSync(scratch, { recursive: true }))

test("each home has a folder of its own, named after it, for its owner alone [34.1]", () => {
  const env = { XDG_STATE_HOME: scratch }
  const one = stateDir("/a/app", env)
  const other = stateDir("/b/app", env)
  expect(one).toMatch(new RegExp(`^${scratch}/coppice/app-[0-9a-f]{16}$`))
  expect(other).not.toBe(one)
  expect(stateDir("/a/app", env)).toBe(one)
  expect(statSync(one).mode & 0o777).toBe(0o700)
})

test("without XDG_STATE_HOME, or with a relative one, it lies below the user's folder", () => {
  const env = { HOME: scratch, XDG_STATE_HOME: "relative" }
  expect(stateDir("/a/app", env)).toContain(`${scratch}/.local/state/coppice/app-`)
})

test("COPPICE_STATE holds a folder for each home, so that none sees the other's tasks", () => {
  const env = { COPPICE_STATE: join(scratch, "chosen") }
  expect(stateDir("/a/app", env)).toMatch(new RegExp(`^${scratch}/chosen/app-[0-9a-f]{16}$`))
  expect(stateDir("/b/app", env)).not.toBe(stateDir("/a/app", env))
})

test("a place that takes no folder fails at once, with the variable that names another [34.4]", () => {
  const file = join(scratch, "file")
  writeFileSync(file, "")
  for (const root of [file, join(file, "below"), ...(existsSync("/proc") ? ["/proc/none"] : [])])
    expect(() => stateDir("/a/app", { COPPICE_STATE: root })).toThrow(
      expect.objectContaining({
        blame: "user",
        hints: [expect.any(String), expect.stringMatching(/COPPICE_STATE/)],
      }),
    )
})

test("a folder that others can write holds no state [34.2]", () => {
  const root = join(scratch, "open")
  mkdirSync(root)
  for (const mode of [0o720, 0o702]) {
    chmodSync(root, mode)
    expect(() => stateDir("/a/app", { COPPICE_STATE: root })).toThrow(/can be written by other/)
  }
  chmodSync(root, 0o755)
  const dir = stateDir("/a/app", { COPPICE_STATE: root })
  chmodSync(dir, 0o777)
  expect(() => stateDir("/a/app", { COPPICE_STATE: root })).toThrow(/can be written by other/)
})

test.skipIf(process.geteuid?.() !== 0)(
  "a folder of another user holds no state (as root) [34.2]",
  () => {
    const root = join(scratch, "foreign")
    mkdirSync(root)
    chownSync(root, 65534, 65534)
    expect(() => stateDir("/a/app", { COPPICE_STATE: root })).toThrow(/another user \(uid 65534\)/)
  },
)

test("reading the status makes no state directory [34.1]", async () => {
  const root = join(scratch, "unread")
  const env = { COPPICE_STATE: root, HOME: scratch }
  const home = mkdtempSync(join(scratch, "home-"))
  writeFileSync(join(home, "coppice.yml"), "version: 1\n")
  expect(await connect({ home, env }).status()).toMatchObject({ running: false })
  expect(existsSync(root)).toBe(false)
})
