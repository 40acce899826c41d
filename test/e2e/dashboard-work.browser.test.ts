/** Unfinished work in the dashboard: cards, what ran for a task, groups, and the first task of a home. */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"

const EVIL = "<img src=x onerror=alert(1)>"
const SERVE = `echo served > s.txt; exec node -e 'require("http").createServer().listen(process.env.COPPICE_PORT, "127.0.0.1")'`

const { browserTest, openDashboard } = withBrowser()

browserTest(
  "a card shows the size of its work, its gate, its port, and the task that it conflicts with [38.22]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: `! grep -s RED r.txt` },
      sh: { landing: { max_handbacks: 0 } },
    })
    fleet.repo.commit({ "a.txt": "a\n" }, "a")
    const [one, other] = [
      await fleet.start("echo one > a.txt", "--title", "One", "--land", "approve"),
      await fleet.start("echo other > a.txt", "--title", "Other", "--land", "approve"),
    ]
    const red = await fleet.start("echo RED > r.txt", "--title", "Red")
    await fleet.start(SERVE, "--title", "Served")
    for (const id of [one, other, red]) await fleet.until(id)
    await using dashboard = await openDashboard(fleet)
    const { page, problems } = dashboard
    const card = (title: string) =>
      page.locator(".card").filter({ has: page.getByRole("link", { name: title, exact: true }) })
    await card("One").getByText(`conflicts with ${other}`).waitFor()
    await card("Other").getByText(`conflicts with ${one}`).waitFor()
    await card("Red").getByText("gate failed").waitFor()
    await card("Red").getByText("1 file +1 −0").waitFor()
    const port = card("Served").getByRole("link", { name: /^port \d+$/ })
    await port.waitFor({ timeout: 30_000 })
    expect(await port.getAttribute("href")).toMatch(/^http:\/\/localhost:\d+\/$/)
    expect(await card("Served").getByText("conflicts").count()).toBe(0)
    await expectAccessible(dashboard)
    expect(problems).toEqual([])
  },
)

browserTest(
  "a task's page shows the output of its gates, its sessions, and what it runs on [38.23]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: `! grep -s img r.txt` },
      sh: { landing: { max_handbacks: 0 } },
    })
    const id = await fleet.start(`echo '${EVIL}' > r.txt`)
    const { sessionId, repos } = await fleet.until(id)
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open(`#/task/${id}/runs`)
    await page.getByRole("region", { name: "Gates" }).getByText(EVIL).waitFor()
    await page.getByText("exit code 1").first().waitFor()
    await page.getByText(sessionId ?? "none").waitFor()
    const place = page.getByRole("region", { name: "Worktrees, ports and processes" })
    await place.getByText(repos[0]?.worktree ?? "none").waitFor()
    await place.getByText(/ports \d+ to \d+/).waitFor()
    await place.getByText(/\d KB|\d MB|\d KiB|\d kB/).waitFor()
    await expectAccessible(dashboard)
    const working = await fleet.start("exec sleep 1000")
    await open(`#/task/${working}/runs`)
    await place.getByText(/process \d+: agent/).waitFor()
    expect(problems).toEqual([])
  },
)

browserTest(
  "new tasks name their agent, and the board groups them by agent and repository [38.24]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: false },
      agents: { other: { runtime: "command", command: "cat > o.txt" } },
    })
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/fleet") // the board has the form only while it is empty
    await page.getByLabel("New tasks").fill("echo first > f.txt")
    await page.getByLabel("Agent").selectOption("other")
    await expectAccessible(dashboard)
    const held = Promise.withResolvers<void>()
    await page.context().route("**/tasks", async (route) => {
      if (route.request().method() === "POST") await held.promise
      await route.continue()
    })
    await page.getByRole("button", { name: "Start 1 task" }).click()
    await page.getByLabel("New tasks").fill("echo first > f.txt\n\nAnother one")
    held.resolve()
    await expect.poll(() => page.getByLabel("New tasks").inputValue()).toBe("Another one")
    await open("#/")
    await page.getByRole("link", { name: "echo first > f.txt" }).waitFor()
    await fleet.until(await fleet.start("true", "--title", "Second"))
    await page.getByLabel("Group by").selectOption("agent")
    const group = (name: string) => page.getByRole("region", { name })
    await group("other 1").getByRole("link", { name: "echo first > f.txt" }).waitFor()
    await group("sh 1").getByRole("link", { name: "Second" }).waitFor()
    await page.getByLabel("Group by").selectOption("repository")
    await group("app 2").waitFor()
    await page.reload()
    await group("app 2").waitFor()
    expect(problems).toEqual([])
  },
)
