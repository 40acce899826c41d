/**
 * Web Push in a real browser. Headless Chromium has no push service, so the page has a double of
 * `PushManager`, and a push reaches the service worker, which is real, through the DevTools.
 */
import { expect } from "vitest"
import { pushNotice } from "../../src/features/hooks/push/send-push.ts"
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

/** The notifications on the screen, as texts. */
const SHOWN = `navigator.serviceWorker.ready.then(async (worker) =>
  (await worker.getNotifications()).map(({ title, body, tag, actions }) =>
    [title, body, tag, actions.map(({ title }) => title)].join(" | ")))`
/** A press on the notification, of which the DevTools know nothing. */
const CLICK = `self.registration.getNotifications().then(([notification]) => {
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification }))
})`

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

browserTest("a push shows a notification, which leads to its task and closes [38.19]", async () => {
  await using fleet = new Fleet()
  const id = await fleet.start("exit 9", "--title", "Failing <b>")
  const task = await fleet.until(id)
  await using dashboard = await openDashboard(fleet)
  const { page, problems } = dashboard
  const { origin } = new URL(page.url())
  await page.context().grantPermissions(["notifications"], { origin })
  await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
  await page.reload() // under the worker's control
  await page.getByRole("region", { name: "Needs you 1" }).waitFor()

  const tools = await page.context().newCDPSession(page)
  const registered = Promise.withResolvers<string>()
  tools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    for (const { registrationId, isDeleted } of registrations)
      if (!isDeleted) registered.resolve(registrationId)
  })
  await tools.send("ServiceWorker.enable")
  const registrationId = await registered.promise
  const notice = pushNotice(task, [{ action: "approve" }, { action: "reject" }])
  const delivery = { origin, registrationId, data: JSON.stringify(notice) }
  await tools.send("ServiceWorker.deliverPushMessage", delivery)
  const shown = () => page.evaluate<string[]>(SHOWN)
  await waitFor("the notification", async () => (await shown()).length > 0)
  expect(await shown()).toEqual([`Coppice | ${notice.body} | task-${id} | Approve,Reject`])

  const [worker] = page.context().serviceWorkers()
  await worker!.evaluate(CLICK)
  await page.getByRole("heading", { level: 1, name: "Failing <b>" }).waitFor()
  expect(new URL(page.url()).hash).toBe(`#/task/${id}`)
  await expect.poll(shown).toEqual([])
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
