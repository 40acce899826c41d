/** The landing lane and the fleet page in a real browser, against a live daemon. */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const EVIL = "<img src=x onerror=alert(1)>"

const { browserTest, openDashboard } = withBrowser()

browserTest(
  "the landing lane shows the step of a landing until it has landed [38.10]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: 'until [ -e "$STEPS/go" ]; do sleep 0.05; done' },
    })
    await fleet.start("echo a > a.txt", "--title", EVIL)
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/landing")
    await page.locator('[aria-current="step"]').getByText("Gate").waitFor()
    await page.getByRole("link", { name: EVIL }).waitFor()
    expect(await page.locator("#root img").count()).toBe(0)
    await expectAccessible(dashboard)
    fleet.noted("go")
    await page.getByText("Nothing is landing.").waitFor()
    expect(problems).toEqual([])
  },
)

browserTest(
  "the fleet page starts several tasks, and switches and triggers a schedule [38.11]",
  async () => {
    const schedules = { nightly: { cron: "0 3 1 1 *", prompt: "true", enabled: false } }
    await using fleet = new Fleet({ repo: { gate: false }, sh: { schedules } })
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/fleet")
    await page.getByLabel("New tasks").fill(`echo '${EVIL}' > a.txt\n\necho b > b.txt`)
    await page.getByRole("button", { name: "Start 2 tasks" }).click()
    const created = (count: number) =>
      waitFor(`${count} tasks`, async () => (await fleet.client.listLines()).tasks.length === count)
    await created(2)
    await fleet.until("1")
    await fleet.until("2")
    const nightly = page.getByRole("region", { name: "Schedule sh/nightly" })
    await nightly.getByRole("button", { name: "Switch on" }).click()
    await nightly.getByRole("button", { name: "Trigger" }).click()
    await created(3)
    expect((await fleet.until("3")).state).toBe("complete")
    await page.reload()
    await page.getByRole("region", { name: "Landed per day" }).waitFor()
    await nightly.getByText(/^next /).waitFor()
    await expectAccessible(dashboard)
    expect(await page.locator("#root img").count()).toBe(0)
    expect(problems).toEqual([])
  },
)
