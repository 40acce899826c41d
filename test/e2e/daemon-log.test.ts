/** `coppice logs --daemon`: the daemon's log, read from its file. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { daemonLogPath, stateDir } from "../../src/api/client/state-dir.ts"
import { DaemonLogDocument } from "../../src/api/wire/shell.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { waitFor } from "../support/wait-for.ts"

const logOf = (fleet: Fleet) => daemonLogPath(stateDir(fleet.repo.path, fleet.env))
const line = (msg: string, more: object = {}) =>
  `${JSON.stringify({ level: 50, time: 1_790_000_000_000, msg, ...more })}\n`

test("the log is there while the daemon runs and after its end, and reading it starts none [12.22]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const empty = await fleet.coppice("logs", "--daemon")
  expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no daemon") })
  expect((await fleet.client.status()).running).toBe(false)

  await fleet.until(await fleet.start("true"))
  expect((await fleet.coppice("logs", "--daemon")).stdout).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info the daemon is ready home=/,
  )
  await fleet.coppice("down")
  const { lines } = await fleet.json(DaemonLogDocument, ["logs", "--daemon", "-n", "1"])
  expect(lines).toMatchObject([{ level: "info", text: "the daemon has ended" }])
  expect((await fleet.client.status()).running).toBe(false)

  const wrong = await fleet.coppice("logs", "1", "--daemon")
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("no arguments") })
  expect((await fleet.coppice("logs", "--daemon", "--git")).code).toBe(2)
})

test("no secret, no control character and no more than the end of a large log is shown [12.20, 12.22]", async () => {
  await using fleet = new Fleet()
  fleet.extra["DEPLOY_TOKEN"] = "deploy-secret-1"
  fleet.extra["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=otel%20secret,x=other-secret"
  const path = logOf(fleet)
  writeFileSync(path, line("an old line").repeat(40_000))
  appendFileSync(path, "Error: fetch https://ada:pass-word@forge.example/x failed\n")
  appendFileSync(
    path,
    "    at deploy-secret-1 \x1b[31mred\x1b[2J\u202e with bearer abcdef-012345\n",
  )
  const err = {
    message: "sent otel secret and other-secret",
    stack: "x \x1b]0;title\x07 y\n at z",
    cause: { message: "deploy-secret-1" },
  }
  appendFileSync(path, line("it failed: otel%20secret", { err, task: 7 }))
  appendFileSync(path, '{"level":50,"time":"half a li')

  const shown = await fleet.coppice("logs", "--daemon", "-n", "100000")
  const json = await fleet.coppice("logs", "--daemon", "-n", "4", "--json")
  for (const { code, stdout } of [shown, json]) {
    expect(code).toBe(0)
    for (const secret of [
      "pass-word",
      "deploy-secret",
      "otel secret",
      "otel%20secret",
      "other-secret",
      "abcdef-0",
    ])
      expect(stdout).not.toContain(secret)
    expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\u202e]/)
    expect(stdout).toContain("https://[redacted]")
  }
  expect(shown.stdout.length, "a mebibyte of the file").toBeLessThan(1.2 * 2 ** 20)
  expect(shown.stdout).toContain(
    "error it failed: [redacted] task=7\n    x  y\n    at z\n  caused by\n",
  )
  const { lines } = DaemonLogDocument.parse(JSON.parse(json.stdout))
  expect(lines.map(({ text }) => text).join("")).not.toMatch(/[\x00-\x1f\u202e]/)
  expect(lines.map(({ at, level }) => ({ at, level }))).toEqual([
    { at: "2026-09-21T14:13:20.000Z", level: "error" },
    ...[1, 2].map(() => ({ at: null, level: null })),
    { at: "2026-09-21T14:13:20.000Z", level: "error" },
  ])
})

test("`-f` shows what comes until Ctrl-C, also of a daemon in the foreground [12.22]", async () => {
  await using fleet = new Fleet()
  await fleet.coppice("status") // approves the home, and starts no daemon
  const up = spawn(process.execPath, [LAUNCHER, "up"], { cwd: fleet.repo.path, env: fleet.env })
  await waitFor("the daemon", async () => (await fleet.client.status()).running)
  const args = [LAUNCHER, "logs", "--daemon", "-f", "-n", "0", "--json"]
  const reader = spawn(process.execPath, args, { cwd: fleet.repo.path, env: fleet.env })
  let told = ""
  reader.stdout.on("data", (part) => (told += part))
  await waitFor("it follows", () => {
    appendFileSync(logOf(fleet), line("a line"))
    return told.includes("a line")
  })
  up.kill("SIGTERM")
  await waitFor("the last line", () => told.includes("the daemon has ended"))
  reader.kill("SIGINT")
  const [code] = await once(reader, "exit")
  expect(code).toBe(0)
  const texts = told
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).text)
  expect(texts.filter((text) => text !== "a line")).toEqual(["the daemon has ended"])
  expect(readFileSync(logOf(fleet), "utf8")).toContain("the daemon is ready")
})
