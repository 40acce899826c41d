/** The dashboard: its speed in a real browser, its size, and what an open page costs the daemon. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { databasePath, stateDir } from "../src/api/client/state-dir.ts"
import type { Oid } from "../src/base/ids.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { CHROMIUM, hasChromium, launchChromium } from "../test/support/chromium.ts"
import {
  BOARD_CONFIG,
  fillBoard,
  type Latencies,
  logIn,
  TASKS,
  untilLive,
  watchReports,
} from "./board-page.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { percentile } from "./progress.ts"
import { residentMiB } from "./resident.ts"
import { addLandedTasks } from "./task-rows.ts"

const FINISHED = 10_000
/** How many finished tasks the board shows. */
const SHOWN = 20
const ROUNDS = 7
const PAGES = 10
/** By then the garbage of the requests is collected. */
const REST_MS = 5_000
/** A file of the daemon that needs neither script nor data. */
const BARE = "favicon.svg"

type Busy = {
  readonly latencies: Latencies
  readonly paint: Samples
  readonly memory: Samples
}
let taken: Promise<Busy> | undefined

const onBoard = (pick: (busy: Busy) => Samples) =>
  inBrowser(async (browser, place) => {
    taken ??= measureBoard(browser, place)
    return pick(await taken)
  })

export const dashboard: readonly Figure[] = [
  {
    name: "page-event",
    subject: `from an event to its pixels, 100 a second, ${TASKS} tasks on the board, 95th percentile`,
    baseline: "the same at a client that follows the events",
    unit: "ms",
    addedMax: 100,
    subjectMax: 100,
    measure: onBoard(({ latencies }) => ({
      baseline: [percentile(latencies.clientMs, 0.95)],
      subject: [percentile(latencies.pageMs, 0.95)],
    })),
  },
  {
    name: "page-paint",
    subject: `opening that board, until it is painted`,
    baseline: "the same browser, an icon of the same daemon",
    unit: "ms",
    addedMax: 800,
    measure: onBoard(({ paint }) => paint),
  },
  {
    name: "page-memory",
    subject: `that daemon with ${PAGES} open pages, VmRSS, for each`,
    baseline: "the same before, divided alike",
    unit: "MiB",
    addedMax: 2,
    measure: onBoard(({ memory }) => memory),
  },
  {
    name: "page-history",
    subject: `a page of the history of ${FINISHED} finished tasks, from the click until it is painted`,
    baseline: "nothing",
    unit: "ms",
    addedMax: 300,
    measure: inBrowser(measureHistory),
  },
  {
    name: "page-script",
    subject: "the script that the page starts with, gzipped",
    baseline: "nothing",
    unit: "KB",
    addedMax: 200,
    measure: measureScript,
  },
]

function inBrowser(measure: (browser: Browser, place: Place) => Promise<Samples>) {
  return async (place: Place): Promise<Samples | NotMeasurable> => {
    if (!hasChromium) return { notMeasurable: `there is no ${CHROMIUM}` }
    const browser = await launchChromium()
    try {
      return await measure(browser, place)
    } finally {
      await browser.close()
    }
  }
}

async function measureBoard(browser: Browser, place: Place): Promise<Busy> {
  await using fleet = new Fleet(place, { files: 10, config: BOARD_CONFIG })
  await fleet.coppice("up", "--detach")
  const tasks = await fillBoard(fleet)
  const page = await logIn(fleet, browser)
  const latencies = await watchReports(fleet, page, { tasks, signal: place.signal })
  const paint: { baseline: number[]; subject: number[] } = { baseline: [], subject: [] }
  const { origin } = new URL(page.url())
  for (let round = 0; round < ROUNDS; round++) {
    paint.baseline.push(await timePaint(page, `${origin}/${BARE}`, "svg"))
    paint.subject.push(await timePaint(page, `${origin}/`, ".card"))
  }
  const memory = await measureMemory(fleet, page, place.signal)
  await page.context().close()
  return { latencies, paint, memory }
}

/** From the start of the navigation to the frame with `selector`. */
async function timePaint(page: Page, url: string, selector: string): Promise<number> {
  await page.goto(url, { waitUntil: "commit" })
  return await untilPainted(page, selector)
}

/** @returns the time since the page's start, in ms. */
const untilPainted = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const isThere = document.querySelector(${JSON.stringify(selector)})
      requestAnimationFrame(isThere ? () => resolve(performance.now()) : look)
    }
    look()
  })`)

async function measureMemory(fleet: Fleet, page: Page, signal: AbortSignal): Promise<Samples> {
  if (!existsSync("/proc/self/status")) throw new Error("there is no /proc")
  const { pid } = await fleet.client.status()
  const address = page.url()
  await page.goto("about:blank")
  await delay(REST_MS, undefined, { signal })
  const restMiB = residentMiB(pid!)
  for (let n = 0; n < PAGES; n++) {
    const more = await page.context().newPage()
    await more.goto(address)
    await untilLive(more)
  }
  await delay(REST_MS, undefined, { signal })
  return { baseline: [restMiB / PAGES], subject: [residentMiB(pid!) / PAGES] }
}

async function measureHistory(browser: Browser, place: Place): Promise<Samples> {
  await using fleet = new Fleet(place, { files: 10 })
  const db = openDb(databasePath(stateDir(fleet.repo, fleet.home.env())))
  addLandedTasks(db, fleet.repo, fleet.git("rev-parse", "HEAD") as Oid, FINISHED)
  db.close()
  await fleet.coppice("up", "--detach")
  const page = await logIn(fleet, browser)
  const subject: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.reload()
    const more = page.getByRole("button", { name: `of ${FINISHED - SHOWN} earlier` })
    await more.waitFor()
    await more.focus()
    subject.push(await page.evaluate(TIME_PAGE))
  }
  return { baseline: [0], subject }
}

/** Clicks, and measures until the frame with more cards. */
const TIME_PAGE = `new Promise((resolve) => {
  const startMs = performance.now()
  const cards = document.getElementsByClassName("card")
  const before = cards.length
  const look = () => {
    const isThere = cards.length > before
    requestAnimationFrame(isThere ? () => resolve(performance.now() - startMs) : look)
  }
  document.activeElement.click()
  look()
})`

async function measureScript({ launcher }: Place): Promise<Samples> {
  const folder = join(dirname(launcher), "../dist/dashboard")
  const html = readFileSync(join(folder, "index.html"), "utf8")
  const scripts = [...html.matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, path]) => path!)
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(folder, path))).length)
  return { baseline: [0], subject: [bytes.reduce((sum, one) => sum + one, 0) / 1000] }
}
