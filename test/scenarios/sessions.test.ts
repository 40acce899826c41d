/** Scenarios S: conversations, whose they are, and the processes that have them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const fleet = new Fleet()
const other = { runtime: "command", command: "sh", env: { STEPS: fleet.steps } }
/** Whose tasks have nothing in common but their conversation. */
const apart = { ...other, workspace: { branch_pattern: "apart/{jobId}" } }
fleet.configure({ repo: { gate: false }, agents: { other, apart }, limits: { concurrent: 8 } })
afterAll(() => fleet[Symbol.asyncDispose]())

const run = (prompt: string, ...args: string[]) =>
  fleet.json(TaskDocument, ["run", prompt, ...args])
const until = (go: string) => `while [ ! -f "$STEPS/${go}" ]; do sleep 0.05; done`
const go = (name: string) => writeFileSync(join(fleet.steps, name), "")

test("S17: a conversation is of an agent and its work item, and no others have it [16.2]", async () => {
  const of = async (...args: string[]) =>
    (await run("echo x >> x.txt", "--land", "none", ...args)).sessionId
  const first = await of("--work-item", "gh-1")
  expect(first).toMatch(/^[0-9a-f-]{36}$/)
  expect(await of("--work-item", "gh-1")).toBe(first)
  const others = await Promise.all([of("--work-item", "gh-2"), of(), of()])
  const elses = await of("--agent", "other", "--work-item", "gh-1")
  expect(new Set([first, elses, ...others]).size).toBe(5)
})

test("a session never has two processes, also where the task before was cancelled just now [10.3]", async () => {
  const item = ["--agent", "apart", "--work-item", "gh-7"]
  const stubborn = 'trap "" TERM; echo $$ > "$STEPS/first"; while :; do sleep 0.05; done'
  const id = await fleet.start(stubborn, ...item)
  const [pid] = await waitFor("the agent", () => some(fleet.noted("first")))
  const look = `grep -qs "^State:.[^ZX]" /proc/${pid}/status && echo alive >> "$STEPS/overlap"`
  const next = await fleet.start(`${look}; echo began > "$STEPS/next"`, ...item)
  await fleet.json(TaskDocument, ["cancel", id])
  const { sessionId } = await fleet.client.show(id)
  expect(await fleet.until(next)).toMatchObject({ state: "complete", sessionId })
  expect([fleet.noted("next"), fleet.noted("overlap")]).toEqual([["began"], []])
})

test("S09: an agent whose process is killed is stuck at once, and can be started again", async () => {
  const id = await fleet.start('echo $$ > "$STEPS/killed"; sleep 600')
  const [pid] = await waitFor("the agent", () => some(fleet.noted("killed")))
  process.kill(Number(pid), "SIGKILL")
  expect(await fleet.until(id)).toMatchObject({ state: "stuck", reason: { code: "died" } })
  await fleet.json(TaskDocument, ["cancel", id])
})

test("S10: an agent that was silent for long is not ended, and its late work counts [15.13]", async () => {
  const sign = '{"status": "working", "lastHeartbeat": "2026-01-01T00:00:00Z"}'
  const report = `echo '${sign}' > "$(dirname "$COPPICE_SESSION_CONTEXT")/session.json"`
  const id = await fleet.start(`${report}; ${until("late")}; echo l > late.txt`)
  const isOld = async () =>
    (await fleet.json(WhyDocument, ["why", id])).waitingFor?.includes("2026-01-01")
  await waitFor("its sign of life", isOld)
  go("late")
  expect(await fleet.until(id)).toMatchObject({ state: "complete", usage: { turns: 1 } })
  expect(fleet.repo.git("show", "main:late.txt")).toBe("l")
})

test("a person reads in `ls`, `show` and `why` what a session file says [54.1]", async () => {
  const path = `sed -n 's/.*"sessionFilePath": "\\(.*\\)".*/\\1/p' "$COPPICE_SESSION_CONTEXT"`
  const says = (report: object) => `echo '${JSON.stringify(report)}' > "$(${path})"`
  const working = says({ status: "working", text: "reads the tests" })
  const stuck = says({ status: "stuck", stuckReason: "JWT or tokens?" })
  const id = await fleet.start(`${working}; ${until("asked")}; ${stuck}; sleep 600`)
  const isRead = async (text: string) => {
    const pages = [["ls"], ["show", id], ["why", id]].map((args) => fleet.coppice(...args))
    return (await Promise.all(pages)).every(({ stdout }) => stdout.includes(text))
  }
  await waitFor("its progress", () => isRead("reads the tests"))
  go("asked")
  expect(await fleet.until(id)).toMatchObject({ state: "stuck" })
  expect(await isRead("JWT or tokens?")).toBe(true)
  expect((await fleet.coppice("logs", id)).stdout).toBe("reads the tests\n")
  await fleet.json(TaskDocument, ["cancel", id])
})

test("S26: two that finish together land one after the other, and neither disturbs the other", async () => {
  const finish = (name: string) =>
    `echo ${name} > ${name}.txt; echo here > "$STEPS/${name}"; ${until("both")}`
  const ids = await Promise.all([fleet.start(finish("p")), fleet.start(finish("q"))])
  await waitFor("both", () => some(fleet.noted("p")) && some(fleet.noted("q")))
  go("both")
  for (const id of ids)
    expect(await fleet.until(id)).toMatchObject({
      state: "complete",
      landing: { outcome: "LANDED" },
    })
  expect(fleet.repo.git("show", "main:p.txt", "main:q.txt").split("\n")).toEqual(["p", "q"])
  expect(fleet.log("%P").every((parents) => !parents.includes(" "))).toBe(true)
})

/** @returns false where there is nothing yet. */
const some = (lines: string[]) => lines.length > 0 && lines
