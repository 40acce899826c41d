/**
 * Web Push in a real browser. Headless Chromium has no push service, so the page has a double of
 * `PushManager`, and no push reaches the service worker, which is real.
 */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const { browserTest, openDashboard } = withBrowser()

const DOUBLE = `{
  let made = null
  const keys = { p256dh: "B" + "A".repeat(86), auth: "A".repeat(22) }
  const endpoint = "https://push.example.net/browser-1"
  PushManager.prototype.getSubscription = async () => made
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (!/^B[\\w-]{86}$/.test(applicationServerKey)) throw new Error("no key of a sender")
    made = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => { made = null } }
    return made
  }
  Notification.requestPermission = async () => "granted"
}`

browserTest("a person switches notifications on and off [38.19]", async () => {
  await using fleet = new Fleet()
  await fleet.until(await fleet.start("exit 9", "--title", "Failing"))
  await using dashboard = await openDashboard(fleet)
  const { page, problems } = dashboard
  const { origin } = new URL(page.url())
  await page.context().grantPermissions(["notifications"], { origin })
  await page.addInitScript(DOUBLE)
  await page.reload()
  const { browsers } = await fleet.client.push()
  expect(browsers).toBe(0)
  await page.getByRole("button", { name: "Notify me" }).click()
  await page.getByRole("button", { name: "Stop notifications" }).waitFor()
  expect(await fleet.client.push()).toMatchObject({ browsers: 1 })
  await expectAccessible(dashboard)

  await page.getByRole("button", { name: "Stop notifications" }).click()
  await page.getByRole("button", { name: "Notify me" }).waitFor()
  expect(await fleet.client.push()).toMatchObject({ browsers: 0 })
  expect(problems).toEqual([])
})

browserTest("each home's page has notifications of its own, until a logout [38.19]", async () => {
  await using fleet = new Fleet()
  await fleet.until(await fleet.start("true"))
  await using dashboard = await openDashboard(fleet)
  const { page } = dashboard
  const { origin } = new URL(page.url())
  await page.context().grantPermissions(["notifications"], { origin })
  await page.addInitScript(DOUBLE)
  const { id } = (await fleet.client.homes()).homes[0]!
  await page.goto(`${origin}/homes/${id}/`)
  await page.getByRole("button", { name: "Notify me" }).click()
  await page.getByRole("button", { name: "Stop notifications" }).waitFor()
  expect(await fleet.client.push()).toMatchObject({ browsers: 1 })
  const scopes = await page.evaluate(`navigator.serviceWorker.getRegistrations()
    .then((all) => all.map(({ scope }) => new URL(scope).pathname))`)
  expect(scopes).toContain(`/homes/${id}/`)
  await page.getByRole("button", { name: "Log out" }).click()
  await page.getByText("This browser is not logged in").waitFor()
  expect(await fleet.client.push()).toMatchObject({ browsers: 0 })
})

browserTest(
  "without a daemon the page still opens, says so, and keeps no data [38.21]",
  async () => {
    await using fleet = new Fleet()
    await fleet.until(await fleet.start("true", "--title", "Secret title"))
    await using dashboard = await openDashboard(fleet)
    const { page } = dashboard
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    await page.reload() // under the worker's control
    await page.getByText("Secret title").first().waitFor()
    await fleet.coppice("down")
    await waitFor("the end", async () => !(await fleet.client.status()).running)
    await page.reload()
    await page.getByText("Not live").waitFor()
    const kept = await page.evaluate(`(async () => {
    const keys = await (await caches.open("shell")).keys()
    return keys.map(({ url }) => new URL(url).pathname.replace(/-.*\\./, "."))
  })()`)
    expect((kept as string[]).sort()).toEqual(
      expect.arrayContaining(["/", "/assets/index.css", "/assets/index.js"]),
    )
    for (const path of kept as string[])
      expect(path).toMatch(/^\/($|assets\/|favicon\.svg|manifest\.webmanifest)/)
  },
)
