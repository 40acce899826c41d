/** The daemon's metrics, scraped as Prometheus does it. */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findDaemon } from "../../src/api/client/daemon-address.ts"
import { stateDir } from "../../src/api/client/state-dir.ts"
import { Fleet } from "../support/fleet.ts"

/** A line of the text format, version 0.0.4. */
const VALUE = String.raw`(-?[0-9.]+(e[-+]?\d+)?|NaN|[-+]Inf)`
const LABEL = String.raw`[a-zA-Z_]\w*="([^"\\\n]|\\["\\n])*"`
const SAMPLE = new RegExp(String.raw`^[a-z_:][\w:]*(\{${LABEL}(,${LABEL})*\})? ${VALUE}$`)
const COMMENT = /^# (HELP [a-z]\w* \S.*|TYPE [a-z]\w* (counter|gauge))$/

const filesOf = (fleet: Fleet) => {
  const state = stateDir(fleet.repo.path, fleet.env)
  const token = readFileSync(join(state, "metrics-token"), "utf8")
  const [target] = JSON.parse(readFileSync(join(state, "metrics-targets.json"), "utf8"))
  return { state, token, origin: `http://${target.targets[0]}`, target }
}

async function scrape(fleet: Fleet, path = "/metrics", init: RequestInit = {}) {
  const { token, origin } = filesOf(fleet)
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${origin}${path}`, { ...init, headers })
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    text: await answer.text(),
  }
}

test("a scraper reads the counts of the fleet with a token that opens nothing else [49.3]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.coppice("run", "echo a > a.txt", "--title", "A secret title")
  const { status, type, text } = await scrape(fleet)
  expect({ status, type }).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
  })
  const lines = text.trimEnd().split("\n")
  expect(lines.filter((line) => !SAMPLE.test(line) && !COMMENT.test(line))).toEqual([])
  expect(lines).toContain('coppice_tasks{state="complete"} 1')
  expect(lines).toContain('coppice_landings_total{outcome="LANDED"} 1')
  expect(lines).toContain('coppice_turns_total{agent="sh"} 1')
  expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m)
  expect(text).not.toContain("secret")
  expect((await scrape(fleet)).text).toMatch(
    /^coppice_event_loop_delay_seconds\{percentile="99"\} /m,
  )

  expect((await scrape(fleet, "/status")).status).toBe(401)
  expect((await scrape(fleet, "/events")).status).toBe(401)
  expect((await scrape(fleet, "/down", { method: "POST" })).status).toBe(401)
  expect((await fetch(`${filesOf(fleet).origin}/metrics`)).status).toBe(401)
})

test("the next daemon keeps the token and tells its address [49.3]", async () => {
  await using fleet = new Fleet()
  await fleet.coppice("up", "-d")
  const before = filesOf(fleet)
  expect(statSync(join(before.state, "metrics-token")).mode & 0o777).toBe(0o600)
  process.kill(findDaemon(before.state)!.pid, "SIGKILL")
  await expect.poll(() => findDaemon(before.state)).toBeUndefined()
  await fleet.coppice("up", "-d")
  const after = filesOf(fleet)
  expect(after.token).toBe(before.token)
  expect(after.target.labels).toEqual({ home: fleet.repo.path })
  expect(after.origin).toBe(findDaemon(after.state)!.address)
  expect((await scrape(fleet)).status).toBe(200)
})
