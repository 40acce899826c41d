/** The page over networks that lose things: requests without answers, and connections without messages. */
import type { WebSocketRoute } from "playwright-core"
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"

/** From the loss until the page shows it, or shows that it is over. */
const timeout = 20_000

const { browserTest, openDashboard } = withBrowser()

browserTest(
  "a page whose requests failed for a while is live again when they are answered [38.26]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await using dashboard = await openDashboard(fleet)
    const { page } = dashboard
    const status = page.getByRole("status")
    await page.context().setOffline(true)
    await status.getByText("Not live").waitFor({ timeout })
    await fleet.coppice("run", "true", "--title", "Unseen")
    await page.context().setOffline(false)
    await status.getByText("Live", { exact: true }).waitFor({ timeout })
    await page.getByRole("link", { name: "Unseen" }).waitFor()
  },
)

browserTest(
  "a connection that loses its messages is opened again, and misses no event [38.26]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await using dashboard = await openDashboard(fleet)
    const { page, open } = dashboard
    const silent = new Set<WebSocketRoute>()
    const opened: WebSocketRoute[] = []
    await page.routeWebSocket(/\/follow/, (socket) => {
      opened.push(socket)
      const daemon = socket.connectToServer()
      socket.onMessage((message) => daemon.send(message))
      daemon.onMessage((message) => silent.has(socket) || socket.send(message))
    })
    await page.reload()
    const status = page.getByRole("status")
    await status.getByText("Live", { exact: true }).waitFor()
    const id = await fleet.start("true", "--title", "Unseen")
    await open(`#/task/${id}/history`)
    await fleet.until(id)
    await page.locator(".history li").first().waitFor()
    for (const one of opened) silent.add(one)
    await fleet.client.resume(id, { text: "true" })
    await status.getByText("Not live").waitFor({ timeout })
    await status.getByText("Live", { exact: true }).waitFor({ timeout })
    await fleet.until(id)
    const isWhole = async () => {
      const { events } = await fleet.client.events({ task: id })
      const last = page.locator(`.history li[data-seq="${events.at(-1)?.seq}"]`)
      const shown = await page.locator(".history li").count()
      return (await last.count()) === 1 && shown === events.length
    }
    await expect.poll(isWhole, { timeout }).toBe(true)
  },
)

browserTest(
  "a card that is drawn while the daemon is away has its question, and says why its buttons are not there [38.47]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await fleet.start('coppice agent ask "Which <b>colour</b>?"', "--title", "Paint")
    await using dashboard = await openDashboard(fleet)
    const { page, problems } = dashboard
    const needs = page.getByRole("region", { name: /^Needs you/ })
    await needs.getByRole("button", { name: "Answer" }).waitFor()
    await fleet.kill()
    await page.getByRole("status").getByText("Not live").waitFor()
    const filter = page.getByLabel("Filter tasks")
    await filter.fill("no such task")
    await needs.waitFor({ state: "detached" })
    await filter.fill("")
    await needs
      .getByText("The daemon does not answer. The buttons are here when it does.")
      .waitFor()
    expect(await needs.locator(".why").textContent()).toBe("Which <b>colour</b>?")
    await expectAccessible(dashboard)
    await fleet.coppice("up", "-d")
    await needs
      .getByRole("button", { name: "Restart" })
      .or(needs.getByRole("button", { name: "Answer" }))
      .first()
      .waitFor()
    expect(problems).toEqual([])
  },
)
