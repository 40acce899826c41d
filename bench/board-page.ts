/** The dashboard in a real browser, with a busy fleet or a long history behind it. */
import { setTimeout as delay } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { findDaemon } from "../src/api/client/daemon-address.ts"
import { stateDir } from "../src/api/client/state-dir.ts"
import type { JobId } from "../src/base/ids.ts"
import type { Fleet } from "./fleet.ts"
import { Reporter } from "./reporter.ts"

export const TASKS = 1_000
/** Agents at work; the other tasks wait for a place. */
const AT_WORK = 10
/** 100 events a second, of all agents together. */
const EVERY_MS = 100
const WARM_UP_MS = 3_000
const FOR_MS = 20_000

export const BOARD_CONFIG = `version: 1
limits: { concurrent: ${AT_WORK} }
agents:
  sh: { runtime: command, command: exec sleep 3600 }
`

/** Notes, after the frame in which a card first shows a word, when that was. */
const NOTE_FRAMES = `(() => {
  const seen = (globalThis.seen = new Map())
  const look = () => {
    const shown = [...document.querySelectorAll(".group.running .card")].map((card) =>
      card.querySelector(".id").textContent + ":" + card.querySelector(".last")?.textContent)
    const news = shown.filter((one) => !seen.has(one))
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => { for (const one of news) seen.set(one, Date.now()) }
    port2.postMessage(0)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

/** Logs a browser in, and waits until its page is live. */
export async function logIn(fleet: Fleet, browser: Browser): Promise<Page> {
  const { url } = await fleet.client.loginLink()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(url)
  await untilLive(page)
  return page
}

export const untilLive = (page: Page): Promise<void> =>
  page.getByRole("status").getByText("Live", { exact: true }).waitFor()

/** Fills the board, and waits until the first agents are at work. @returns their tasks. */
export async function fillBoard({ client }: Fleet): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < TASKS; n++)
    ids.push((await client.create({ prompt: `Do the work of line ${n}`, agent: "sh" })).task.id)
  let left = AT_WORK
  for await (const { type } of client.followEvents())
    if (type === "turn.began" && --left === 0) break
  return ids.slice(0, AT_WORK)
}

/** From an event to a client that follows, and to the frame with its words. */
export type Latencies = { readonly clientMs: readonly number[]; readonly pageMs: readonly number[] }

export async function watchReports(
  fleet: Fleet,
  page: Page,
  { tasks, signal }: { readonly tasks: readonly string[]; readonly signal: AbortSignal },
): Promise<Latencies> {
  const daemon = findDaemon(stateDir(fleet.repo, fleet.home.env()))!
  const reporters = new Map<string, Reporter>()
  for (const task of tasks) {
    const { jobs } = await fleet.client.show(task)
    reporters.set(task, await Reporter.connect(daemon, Number(jobs[0]!.id) as JobId))
  }
  await page.evaluate(NOTE_FRAMES)
  await report([...reporters.values()], WARM_UP_MS, signal)
  const [{ seq } = { seq: 0 }] = (await fleet.client.events({ last: 1 })).events
  const following = new AbortController()
  const followed = follow(fleet, seq, following.signal)
  await report([...reporters.values()], FOR_MS, signal)
  await delay(1_000, undefined, { signal })
  for (const reporter of reporters.values()) reporter.end()
  const shown = (await page.evaluate("[...seen]")) as [string, number][]
  following.abort()
  return { clientMs: await followed, pageMs: await compare(fleet, seq, shown) }
}

async function follow({ client }: Fleet, after: number, signal: AbortSignal): Promise<number[]> {
  const latenciesMs: number[] = []
  for await (const { type, at } of client.followEvents({ after, signal }))
    if (type === "task.progress") latenciesMs.push(Date.now() - Date.parse(at))
  return latenciesMs
}

async function report(reporters: readonly Reporter[], forMs: number, signal: AbortSignal) {
  const endMs = performance.now() + forMs
  const loops = reporters.map(async (reporter, at) => {
    await delay((at * EVERY_MS) / reporters.length, undefined, { signal })
    while (performance.now() < endMs && !signal.aborted) {
      const next = delay(EVERY_MS)
      await reporter.say(String(performance.now()))
      await next
    }
  })
  await Promise.all(loops)
}

/** A card may go from one report to a later one: that frame shows both. */
async function compare({ client }: Fleet, after: number, shown: readonly [string, number][]) {
  const frames = shown.map(([text, atMs]) => {
    const [task = "", said = ""] = text.split(":")
    return { task, said: Number(said), atMs }
  })
  const latenciesMs: number[] = []
  for (let cursor = after; ; ) {
    const { events } = await client.events({ after: cursor })
    for (const { type, task, at, data } of events) {
      if (type !== "task.progress") continue
      const said = Number(data["text"])
      const later = frames.filter((frame) => frame.task === task && frame.said >= said)
      latenciesMs.push(Math.min(...later.map(({ atMs }) => atMs)) - Date.parse(at))
    }
    const last = events.at(-1)
    if (!last) return latenciesMs
    cursor = last.seq
  }
}
