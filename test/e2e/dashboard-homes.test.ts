/** All homes on one page, in a real browser: two daemons of one person. */
import { expect } from "vitest"
import { approveConfig } from "../../src/client/trust/examine.ts"
import { HomeSummariesDocument } from "../../src/core/wire/home.ts"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

const EVIL = "<img src=x onerror=alert(1)>"
const CONFIG = {
  version: 1,
  repos: { app: { gate: false } },
  agents: { sh: { runtime: "command", command: "sh" } },
}
const { browserTest, openDashboard } = withBrowser()

browserTest(
  "one page shows all homes and what needs a person, and logs in to the other dashboard [38.15]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    using other = new TestRepo()
    other.commit({ "coppice.yml": JSON.stringify(CONFIG) })
    approveConfig({ home: other.path }, fleet.env)
    const there = (...args: string[]) => coppice(other.path, args, { env: fleet.env })
    await there("run", `echo '${EVIL}'; exit 75`, "--title", `Stuck ${EVIL}`)
    await there("run", "true", "--title", "Done")
    await fleet.coppice("run", "true", "--title", "Here")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems, link } = dashboard
    await open("#/homes")
    const card = (path: string) => page.locator("section.card").filter({ hasText: path })
    await card(other.path).getByText("1 needs you").waitFor()
    await card(other.path).getByText("1 done").waitFor()
    await card(other.path).getByText(`Stuck ${EVIL}`).waitFor()
    await card(fleet.repo.path).getByRole("link", { name: "This home" }).waitFor()
    await expectAccessible(dashboard)
    await card(other.path).getByRole("button", { name: "Open repo" }).click()
    await page.getByRole("region", { name: "Needs you 1" }).getByText("Stuck <").waitFor()
    const { origin } = new URL(link)
    expect(new URL(page.url()).origin).not.toBe(origin)
    expect(page.url()).not.toContain("login")
    await page.goto(origin)
    await page.getByRole("region", { name: "Done 1" }).getByText("Here").waitFor()
    await open("#/homes")
    await there("down")
    await page.reload()
    await card(other.path).getByText("No daemon runs").waitFor()
    expect(await page.locator("#root img").count()).toBe(0)
    expect(problems).toEqual([])
  },
)

browserTest("a link leads to a home of the list alone, and starts no daemon [38.15]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  using other = new TestRepo()
  other.commit({ "coppice.yml": JSON.stringify(CONFIG) })
  approveConfig({ home: other.path }, fleet.env)
  const there = (...args: string[]) => coppice(other.path, args, { env: fleet.env })
  await there("run", "true")
  await fleet.coppice("up", "-d")
  const homes = async () => HomeSummariesDocument.parse(await fleet.client.homes()).homes
  const { id } = (await homes()).find(({ home }) => home === other.path)!
  for (const wrong of ["none", `../coppice/${id}`, `${id}/.`, ".", ""])
    await expect(fleet.client.homeLink(wrong), wrong).rejects.toThrow()
  const { url } = await fleet.client.homeLink(id)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/login\/[\w-]{43}$/)
  // As `coppice ui` does, it shows a home whose configuration waits for an approval.
  expect((await fleet.coppice("trust", "--revoke")).code).toBe(0)
  await expect(fleet.client.create({ prompt: "true" })).rejects.toThrow("approved")
  expect((await fleet.client.homeLink(id)).url).not.toBe(url)
  await there("down")
  await expect(fleet.client.homeLink(id)).rejects.toThrow(`No daemon runs in ${other.path}`)
  expect((await homes()).find(({ home }) => home === other.path)).toMatchObject({
    running: false,
    counts: { done: 1 },
    own: false,
  })
})
