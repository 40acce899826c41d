import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { readHomeConfig } from "../../api/client/config/config-layers.ts"
import { changeTrust, readTrust } from "../../features/trust/trust-record.ts"
import { LiveConfig } from "./live-config.ts"

let above: string
let home: string
let file: string
let state: string

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), "coppice-config-"))
  home = join(above, "home")
  state = join(above, "state")
  file = join(home, "coppice.yml")
  for (const folder of [home, state]) mkdirSync(folder)
})
afterEach(() => rmSync(above, { recursive: true }))

const text = (concurrent: number) => `version: 1\nlimits: { concurrent: ${concurrent} }\n`
const gated = (gate: string) => `version: 1\nrepos: { app: { gate: "${gate}" } }\n`
const invalid = expect.objectContaining({ code: "config.invalid" })
const untrusted = expect.objectContaining({ code: "trust.needed", blame: "user" })
const open = () => new LiveConfig(home, state)

function write(content: string | null): void {
  if (content === null) rmSync(file)
  else writeFileSync(file, content)
}

function approve(config: string | null): void {
  changeTrust(state, (now) => ({ ...now, config }))
}

test("a change applies once it is approved; until then the last approved file does [32.1]", () => {
  const config = open()
  for (const [content, before, after] of [
    [text(7), 4, 7],
    [text(8), 7, 8],
    [null, 8, 4],
  ] as const) {
    write(content)
    expect(config.current.limits.concurrent).toBe(before)
    expect(() => config.checked()).toThrow(untrusted)
    expect(open().current.limits.concurrent).toBe(before)
    expect(config.isUnapproved).toBe(false)
    approve(content)
    expect(config.checked().limits.concurrent).toBe(after)
  }
})

test("a first file that loosens the user's own bounds is not in force before a person approves it [32.12]", () => {
  const user = join(above, "user/coppice/coppice.yml")
  mkdirSync(dirname(user), { recursive: true })
  vi.stubEnv("XDG_CONFIG_HOME", join(above, "user"))
  try {
    writeFileSync(user, text(2))
    write(text(64))
    const config = open()
    expect(config.isUnapproved).toBe(true)
    expect(() => config.checked()).toThrow(untrusted)
    write(text(2))
    expect(config.checked().limits.concurrent).toBe(2)
  } finally {
    vi.unstubAllEnvs()
  }
})

test("a change of `defaults` applies to the agents once it is approved, and one with a mistake never [31.11, 31.2]", () => {
  const defaults = (timeout: string) =>
    `version: 1\ndefaults: { session: { timeout: ${timeout} } }\nagents: { a: {} }\n`
  write(defaults("1h"))
  const config = open()
  const timeout = () => config.current.agents[0]?.session.timeoutMs
  expect(timeout()).toBe(3_600_000)
  write(defaults("2h"))
  expect(timeout()).toBe(3_600_000)
  expect(() => config.checked()).toThrow(untrusted)
  approve(defaults("2h"))
  expect(timeout()).toBe(7_200_000)
  write(defaults("soon"))
  expect(() => config.checked()).toThrow(/ defaults\.session\.timeout /)
  expect(timeout()).toBe(7_200_000)
})

test("a changed WORKFLOW.md holds once it is approved; until then the last approved one does [39.17, 32.1]", () => {
  const workflow = (prompt: string) => {
    const head = "tracker: { kind: github, provider: { repo: a/b } }"
    writeFileSync(join(home, "WORKFLOW.md"), `---\n${head}\n---\n${prompt}\n`)
  }
  const approveLaid = () => approve(readHomeConfig(home, process.env).text)
  workflow("First.")
  write("version: 1\nsources: { gh: { type: workflow } }\n")
  const config = open()
  const prompt = () => config.current.sources[0]?.prompt
  expect(config.isUnapproved).toBe(true)
  approveLaid()
  expect([config.checked() && prompt(), config.problems()]).toEqual(["First.", []])
  workflow("Second.")
  expect(prompt()).toBe("First.")
  expect(() => config.checked()).toThrow(untrusted)
  approveLaid()
  expect(config.checked() && prompt()).toBe("Second.")
  for (const spoil of [
    () => workflow("{% if"),
    () => rmSync(join(home, "WORKFLOW.md")),
    () => symlinkSync(join(above, "state"), join(home, "WORKFLOW.md")),
  ]) {
    spoil()
    expect(() => config.checked()).toThrow(/sources\.gh\.path cannot be used: WORKFLOW\.md: /)
    expect([prompt(), open().current.sources[0]?.prompt]).toEqual(["Second.", "Second."])
  }
})

test("a first file that runs, makes and reads nothing needs no approval; any other is read-only until approved [32.2]", () => {
  write(text(7))
  expect(open().checked().limits.concurrent).toBe(7)
  expect(readTrust(state).config).toBe(text(7))

  rmSync(join(state, "trust.json"))
  for (const asking of [
    gated("make"),
    gated("${X}"),
    "version: 1\nrepos: { app: { gate: false } }\n",
    "version: 1\nrepos: { app: { setup: x } }\n",
    "version: 1\nrepos: { app: { check: x } }\n",
    "version: 1\nrepos: { app: { teardown: x } }\n",
    "version: 1\nagents: { a: { runtime: command, command: [x, y] } }\n",
    "version: 1\nagents: { a: { env: { PATH: /x } } }\n",
    "version: 1\nagents: { a: { workspace: { pool: 2 } } }\n",
    "version: 1\nagents: { a: { working_directory: { auto_clone: 'ssh://x/y' } } }\n",
    "version: 1\nagents: { a: { model: '${HOME}' } }\n",
    "version: 1\nagents: { a: { workspace: { worktree_dir: ../.vim } } }\n",
  ]) {
    write(asking)
    const config = open()
    expect([asking, config.isUnapproved]).toEqual([asking, true])
    expect(() => config.checked()).toThrow(untrusted)
  }
})

test("a local file is in force once it is approved with the rest; a torn one changes nothing [31.9, 32.1]", () => {
  write(text(7))
  const config = open()
  expect(config.checked().limits.concurrent).toBe(7)
  const local = join(home, "coppice.local.yml")
  writeFileSync(local, "limits: { concurrent: 9 }")
  expect(config.current.limits.concurrent).toBe(7)
  expect(() => config.checked()).toThrow(untrusted)
  approve(readHomeConfig(home, process.env).text)
  expect(config.checked().limits.concurrent).toBe(9)

  writeFileSync(local, "limits: { conc")
  expect(config.current.limits.concurrent).toBe(9)
  expect(() => config.checked()).toThrow(`${local} is not valid`)
  expect(config.problems().join()).toContain("stays in force")
  rmSync(local)
  expect(() => config.checked()).toThrow(untrusted)
})

test("revoking an approval puts no other file in force", () => {
  write(gated("strict"))
  approve(gated("strict"))
  const config = open()
  write(gated("weak"))
  expect(config.current.repos[0]?.gate).toBe("strict")
  rmSync(join(state, "trust.json"))
  expect([config.isUnapproved, config.current.repos[0]?.gate]).toEqual([true, "strict"])
  expect(() => config.checked()).toThrow(untrusted)
})

test("the file of a folder above is never that of the home", () => {
  writeFileSync(join(above, "coppice.yml"), text(9))
  write(text(7))
  const config = open()
  write(null)
  approve(null)
  expect(config.current.limits.concurrent).toBe(4)
  expect(open().current.limits.concurrent).toBe(4)
})

const SPOILED: readonly (readonly [string, () => void])[] = [
  ["has mistakes", () => writeFileSync(file, "version: 2\n")],
  ["is a folder", () => mkdirSync(file)],
  ["cannot be inspected", () => symlinkSync("coppice.yml", file)],
]

test.each(SPOILED)("while the file %s, the last good one stays in force", (_, spoil) => {
  write(text(7))
  const config = open()
  write(null)
  spoil()
  expect(config.current.limits.concurrent).toBe(7)
  expect(() => config.checked()).toThrow(invalid)
  rmSync(join(state, "trust.json"))
  expect(open).toThrow(invalid)

  rmSync(file, { recursive: true })
  write(text(8))
  expect(open().checked().limits.concurrent).toBe(8)
  expect(config.checked().limits.concurrent).toBe(8)
})

test("a file that is too large to be read at once is a mistake, and changes nothing", () => {
  write(text(7))
  const config = open()
  write(`${text(8)}#${"x".repeat(64 * 1024)}\n`)
  expect(() => config.checked()).toThrow(
    expect.objectContaining({ message: expect.stringContaining("is larger than 64 KiB") }),
  )
  expect(config.current.limits.concurrent).toBe(7)
})

test("a link that leads to another repository since its approval can become a mistake [21.8]", () => {
  for (const name of [".git", "../web/.git"]) {
    mkdirSync(join(home, name, "objects"), { recursive: true })
    mkdirSync(join(home, name, "refs"))
    writeFileSync(join(home, name, "HEAD"), "ref: refs/heads/main\n")
  }
  const link = join(above, "link")
  symlinkSync(join(above, "web"), link)
  const content = "version: 1\nrepos: { app: { gate: exit 7 }, web: { path: ../link } }\n"
  write(content)
  approve(content)
  const config = open()
  expect(config.checked().repos.map(({ gate }) => gate)).toEqual(["exit 7", undefined])
  rmSync(link)
  symlinkSync(home, link)
  expect(() => config.checked()).toThrow(invalid)
  expect(config.problems().join()).toContain("stays in force")
  rmSync(link)
  symlinkSync(join(above, "web"), link)
  expect(config.checked().repos).toHaveLength(2)
})
