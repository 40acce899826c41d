/**
 * Web Push in a real browser. Headless Chromium has no push service, so the page has a double of
 * `PushManager`; the service worker is real, and gets its push as an event.
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

browserTest("a person switches notifications on and off, and a push is shown [38.19]", async () => {
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

  const [worker] = page.context().serviceWorkers()
  const notice = {
    ...{ title: "Coppice", body: "Task 1 needs you", tag: "task-1", path: "/#/task/1" },
    actions: ["approve"],
  }
  const shown = await worker!.evaluate(`(async () => {
    self.dispatchEvent(new PushEvent("push", { data: ${JSON.stringify(JSON.stringify(notice))} }))
    for (;;) {
      const [one] = await self.registration.getNotifications()
      if (one) return { body: one.body, tag: one.tag, action: one.actions[0].title, path: one.data.path }
    }
  })()`)
  expect(shown).toEqual({
    body: notice.body,
    tag: "task-1",
    action: "Approve",
    path: "/#/task/1",
  })

  await page.getByRole("button", { name: "Stop notifications" }).click()
  await page.getByRole("button", { name: "Notify me" }).waitFor()
  expect(await fleet.client.push()).toMatchObject({ browsers: 0 })
  expect(problems).toEqual([])
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
