import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type DaemonAddress, writeDaemonAddress } from "./daemon-address.ts"
import { startDaemon } from "./start-daemon.ts"

let dir: string
let published: DaemonAddress

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "coppice-start-"))
  const address = "http://127.0.0.1:1"
  published = { pid: process.pid, address, home: "/home", token: "t", version: "1", startedAt: "" }
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Starts a program in the daemon's place. Its descriptor 3 is `say`, its arguments are `argv`. */
function start(program: string, env: Record<string, string> = {}) {
  const launcher = join(dir, "launcher.mjs")
  const prelude = `import { writeSync, writeFileSync } from "node:fs"
    const say = (value) => writeSync(3, JSON.stringify(value) + "\\n")
    const argv = process.argv.slice(2)\n`
  writeFileSync(launcher, prelude + program)
  return startDaemon({ home: dir, stateDir: dir, env, launcher })
}

test("waits until the daemon says that it is ready, and uses what it published", async () => {
  const text = JSON.stringify(published)
  const path = JSON.stringify(join(dir, "daemon.json"))
  const ready = `writeFileSync(${path}, ${JSON.stringify(text)}); say({ ready: { address: "a" } })`
  expect(await start(ready)).toEqual(published)
})

test("starts it for this home, with little room for garbage, and with nothing of the session that it was started from", async () => {
  writeDaemonAddress(dir, published)
  const settings = { COPPICE_STATE: dir, COPPICE_CLAUDE: "/mine/claude", KEPT: "yes" }
  const env = { COPPICE_TASK: "7", COPPICE_PROCESS: "x:1", ...settings }
  const program = `
    const { execArgv } = process
    console.log(JSON.stringify({ argv, cwd: process.cwd(), env: process.env, execArgv }))
    say({ ready: { address: "a" } })`
  await start(program, env)
  const said = JSON.parse(readFileSync(join(dir, "daemon.log"), "utf8"))
  expect(said.execArgv).toEqual(["--max-semi-space-size=4"])
  expect(said).toMatchObject({ argv: ["up", "--from-command", "--home", dir], cwd: dir })
  expect(said.env).toEqual(expect.objectContaining(settings))
  expect(Object.keys(said.env)).not.toContain("COPPICE_TASK")
  expect(Object.keys(said.env)).not.toContain("COPPICE_PROCESS")
})

test("a relative COPPICE_STATE means the same folder to the daemon, which runs elsewhere", async () => {
  writeDaemonAddress(dir, published)
  const program = `console.log(process.env.COPPICE_STATE); say({ ready: { address: "a" } })`
  await start(program, { COPPICE_STATE: "state" })
  expect(readFileSync(join(dir, "daemon.log"), "utf8")).toBe(`${resolve("state")}\n`)
})

test("a daemon that cannot run says why in its own words", async () => {
  const error = { code: "config.invalid", blame: "user", message: "bad", hints: ["fix it"] }
  await expect(start(`say(${JSON.stringify({ error })})`)).rejects.toMatchObject(error)
})

test("when another command was faster, its daemon is used", async () => {
  writeDaemonAddress(dir, published)
  const error = { code: "daemon.running", blame: "user", message: "taken", hints: [] }
  expect(await start(`say(${JSON.stringify({ error })})`)).toEqual(published)
})

test("a daemon that ends without a report is reported with the end of its log", async () => {
  const failing = start(`console.error("Error: no such module\\n    at nowhere"); process.exit(1)`)
  await expect(failing).rejects.toMatchObject({
    code: "daemon.not_started",
    message: "The daemon ended at once: Error: no such module",
    hints: [expect.stringContaining("daemon.log"), expect.stringContaining("coppice up")],
  })
})
