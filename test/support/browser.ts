/** A real browser for the tests of the dashboard: Debian's Chromium, without a screen. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { LoginLinkDocument } from "../../src/api/wire/browser.ts"
import { CHROMIUM, hasChromium, launchChromium } from "./chromium.ts"
import type { Fleet } from "./fleet.ts"

/**
 * The browser of a test file, in which its tests run. Without Chromium they are skipped, under a name
 * that says so.
 */
export function withBrowser() {
  let browser: Browser
  beforeAll(async () => {
    if (hasChromium) browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  return {
    browserTest: (name: string, run: () => Promise<void>): void =>
      test.skipIf(!hasChromium)(hasChromium ? name : `${name} (skipped: no ${CHROMIUM})`, run),
    /** @param options of `coppice ui`. */
    openDashboard: (fleet: Fleet, ...options: string[]) => openDashboard(browser, fleet, options),
    /** A page that shares no cookie with the others. */
    openPage: async (options: BrowserContextOptions = {}): Promise<Page> =>
      (await browser.newContext(options)).newPage(),
  }
}

/** Checks the open page in light at the width of a desktop, and in dark at that of a phone. */
export async function expectAccessible({ page }: Pick<Dashboard, "page">): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: colorScheme === "dark" ? 390 : 1280, height: 800 })
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    expect(await listBarriers(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false)
  }
}

type Dashboard = Awaited<ReturnType<typeof openDashboard>>

/** A browser of its own that is logged in, and reports what went wrong in it. */
async function openDashboard(browser: Browser, fleet: Fleet, options: readonly string[]) {
  const { url } = await fleet.json(LoginLinkDocument, ["ui", ...options])
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const problems: string[] = []
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("dialog", (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("console", (said) => {
    // The connections of a daemon that is killed.
    const isExpected =
      /ERR_(CONNECTION_\w+|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)|WebSocket connection/.test(
        said.text(),
      )
    if (said.type() === "error" && !isExpected)
      problems.push(`${said.text()} ${said.location().url}`)
  })
  await page.goto(url)
  await page.getByRole("status").getByText(/^Live/).waitFor()
  const open = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  return { page, problems, open, link: url, [Symbol.asyncDispose]: () => context.close() }
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** The rules of accessibility that the page breaks, each with the first element that does. */
export async function listBarriers(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axe, "utf8"))
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}
