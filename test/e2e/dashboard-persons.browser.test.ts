/** Several people and tabs on one fleet: each reads why a request was refused, and keeps the words. */
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { withBrowser } from "../support/browser.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
const { browserTest, openDashboard } = withBrowser()

/** Holds back the page's request until the returned function is called. */
async function hold(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.context().route(path, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

const refusal = (page: Page) => page.locator(".refusals")

browserTest(
  "of two browsers that answer, the slower one hears why it was refused [38.29]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await fleet.start('coppice agent ask "Which?" --choice red --choice blue > "$STEPS/answer"')
    await using fast = await openDashboard(fleet)
    await using slow = await openDashboard(fleet)
    const go = await hold(slow.page, "**/tasks/1/answer")
    await slow.page.getByRole("button", { name: "blue" }).click()
    await fast.page.getByRole("button", { name: "red" }).click()
    await slow.page.getByRole("region", { name: "Needs you" }).waitFor({ state: "detached" })
    go()
    await refusal(slow.page)
      .getByText(/^blue: Task 1 has no such open question/)
      .waitFor()
    await fleet.until("1")
    expect(fleet.noted("answer").join("\n")).toContain("red")
    expect(await refusal(fast.page).textContent()).toBe("")
    await slow.page.getByRole("button", { name: "Dismiss" }).click()
    await expect.poll(() => refusal(slow.page).textContent()).toBe("")
  },
)

browserTest(
  "of two browsers that decide, the slower one hears why it was refused [38.29]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    fleet.step(2, "sleep 1000")
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await using fast = await openDashboard(fleet)
    await using slow = await openDashboard(fleet)
    const go = await hold(slow.page, "**/tasks/1/approve")
    await slow.page.getByRole("button", { name: /^Approve/ }).click()
    await fast.page.getByLabel("Say what to change").fill("Not like this.")
    await fast.page.getByRole("button", { name: "Reject" }).click()
    await slow.page.getByRole("region", { name: "Needs you" }).waitFor({ state: "detached" })
    go()
    await refusal(slow.page)
      .getByText(/^Approve [0-9a-f]{8}: /)
      .waitFor()
    const { events } = await fleet.client.events({ task: "1" })
    expect(events.map(({ type }) => type)).not.toContain("task.approved")
  },
)

browserTest("a double click confirms nothing [38.30]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("sleep 1000", "--title", "Goes on")
  await fleet.until(id, ({ state }) => state === "working")
  await using dashboard = await openDashboard(fleet)
  const { page, open } = dashboard
  await open("#/task/1")
  const cancel = page.getByRole("button", { name: "Cancel" })
  await cancel.waitFor()
  // However slow the machine is, the second click comes before the time of a confirmation.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await cancel.dblclick()
  const sure = page.getByRole("button", { name: "Give it up?" })
  await sure.waitFor()
  expect(await fleet.client.show("1")).toMatchObject({ state: "working" })
  await page.clock.resume()
  await sure.click() // once the button takes it
  await page.getByRole("main").getByText("cancelled").first().waitFor()
})

browserTest(
  "words that were not sent stay, over pages and reloads, until they are [38.31]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    fleet.step(2, "echo b > b.txt")
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await using dashboard = await openDashboard(fleet)
    const { page, open } = dashboard
    const feedback = page.getByLabel("Say what to change")
    await feedback.fill("Name it b.")
    await open("#/fleet")
    await page.getByLabel("New tasks").fill("true")
    await open("#/")
    expect(await feedback.inputValue()).toBe("Name it b.")
    await page.reload()
    await feedback.waitFor()
    expect(await feedback.inputValue()).toBe("Name it b.")
    await open("#/task/1")
    expect(await feedback.inputValue()).toBe("Name it b.")
    await page.getByRole("button", { name: "Reject" }).click()
    await expect.poll(() => feedback.inputValue()).toBe("")
    await page.getByRole("button", { name: /^Approve/ }).waitFor()
    await open("#/fleet")
    expect(await page.getByLabel("New tasks").inputValue()).toBe("true")
  },
)

browserTest("a full browser takes words, and a log-out forgets them [38.31]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await using dashboard = await openDashboard(fleet)
  const { page, open } = dashboard
  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("coppice-draft")))
  await open("#/fleet")
  const tasks = page.getByLabel("New tasks")
  await tasks.fill("true")
  await expect.poll(drafts).toHaveLength(1)
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("It is full.", "QuotaExceededError")
    }
  })
  await tasks.fill("false")
  expect(await tasks.inputValue()).toBe("false")
  await page.getByRole("button", { name: "Log out" }).click()
  await page.getByText("This browser is not logged in").waitFor()
  expect(await drafts()).toEqual([])
})

browserTest("a stuck task goes on with the answer to its last question [15.24]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const ask = (text: string) => `coppice agent ask "${text}" --choice red --choice blue`
  fleet.step(2, 'cat > "$STEPS/words"; echo done > a.txt')
  const wait = 'until [ -e "$STEPS/go" ]; do sleep 0.05; done'
  await fleet.start(`${ask("Which?")} & ${ask("And then?")} & ${wait}; exit 75`)
  const isAsked = async () => (await fleet.client.questions("1")).questions.length === 2
  await waitFor("both questions", isAsked)
  fleet.noted("go")
  await fleet.until("1", ({ state }) => state === "stuck")
  await using dashboard = await openDashboard(fleet)
  const { page } = dashboard
  const card = page.getByRole("region", { name: "Needs you 1" })
  await card.getByRole("button", { name: "Restart" }).waitFor()
  await card
    .locator(".question", { hasText: "Which?" })
    .getByRole("button", { name: "red" })
    .click()
  await card.getByText("Which?", { exact: true }).waitFor({ state: "detached" })
  expect(await fleet.client.show("1")).toMatchObject({ state: "stuck" })
  await card.getByRole("button", { name: "blue" }).click()
  await page.getByRole("region", { name: "Done 1" }).waitFor()
  const words = fleet.noted("words").join("\n")
  expect(words).toMatch(/Which\?\n```\nThe answer: red/)
  expect(words).toMatch(/And then\?\n```\nThe answer: blue/)
})

browserTest("each page has its title, and the focus is on its heading [38.8]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, "sleep 1000")
  await fleet.coppice("run", "echo a > a.txt", "--title", "First")
  await using dashboard = await openDashboard(fleet)
  const { page, open } = dashboard
  const focused = () => page.evaluate("document.activeElement.textContent")
  await page.getByRole("link", { name: "First" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: "First" }).waitFor()
  const place = async () => [await focused(), await page.title()]
  await expect.poll(place).toEqual(["First", "(1) First · repo · Coppice"])
  const current = page.locator("nav[aria-label=Pages] [aria-current=page]")
  for (const name of ["Board", "Landing", "Fleet", "Homes"]) {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click()
    const heading = name === "Board" ? "Tasks" : name
    await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    await expect
      .poll(async () => [await focused(), await current.textContent()])
      .toEqual([heading, name])
  }
  await expect.poll(() => page.title()).toBe("(1) Homes · repo · Coppice")
  await open("#/")
  const approve = page.getByRole("button", { name: /^Approve/ })
  await approve.focus()
  await page.keyboard.press("Enter")
  await approve.waitFor({ state: "detached" })
  await expect.poll(focused).toBe("Tasks")
})

browserTest("without a daemon the header keeps its lines, and no button acts [38.8]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt", "--title", "First")
  await using dashboard = await openDashboard(fleet)
  const { page } = dashboard
  await page.setViewportSize({ width: 800, height: 800 })
  const approve = page.getByRole("button", { name: /^Approve/ })
  await approve.waitFor()
  await page.locator(".home").waitFor()
  const lines = () => page.evaluate("document.querySelector('.pages').offsetHeight")
  const before = await lines()
  await page.context().setOffline(true)
  await page.getByText("Not live").waitFor()
  expect([await lines(), await page.locator(".home").isVisible()]).toEqual([before, true])
  const width = await page.evaluate("document.querySelector('.home').offsetWidth")
  expect(width).toBeGreaterThan(30)
  await expect.poll(() => approve.isDisabled()).toBe(true)
  await page.context().setOffline(false)
  await expect.poll(() => approve.isEnabled(), { timeout: 20_000 }).toBe(true)
})
