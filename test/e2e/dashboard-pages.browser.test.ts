/** Every page, also the ones without content: accessible, as wide as the window, and clear about what they lack. */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"

const { browserTest, openDashboard, openPage } = withBrowser()

browserTest(
  "every page is accessible, also without tasks, without the task, and without a login [38.8, 38.11, 38.17]",
  async () => {
    await using fleet = new Fleet()
    Object.assign(fleet.extra, { SHELL: "/bin/sh", ENV: "" })
    fleet.repo.commit({ "items/.keep": "" }, "items")
    const sh = {
      runtime: "command",
      command: "sh",
      landing: { mode: "approve" },
      schedules: { nightly: { cron: "0 3 1 1 *", prompt: "true" } },
    }
    const source = (folder: string) => ({ type: "files", folder, agent: "sh" })
    const sources = { todo: source("items"), gone: source("nowhere") }
    const repos = { app: { gate: "! test -e red.txt" } }
    fleet.approve({ version: 1, repos, agents: { sh }, sources }, "configure")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems, link } = dashboard
    const visit = async (hash: string, ready: () => Promise<unknown>) => {
      await open(hash)
      await ready()
      await expectAccessible(dashboard)
    }
    const text = (words: string | RegExp) => () => page.getByText(words).first().waitFor()

    await visit("#/", text("No tasks yet"))
    const start = page.getByRole("button", { name: "Start", exact: true })
    expect(await start.getAttribute("aria-disabled")).toBe("true")
    const [form, heading] = [page.getByLabel("New tasks"), page.getByText("No tasks yet")]
    const [below, above] = [await form.boundingBox(), await heading.boundingBox()]
    expect(below!.y).toBeGreaterThan(above!.y + above!.height)
    expect(Math.abs(below!.x - above!.x)).toBeLessThan(40) // one column
    expect(below!.height).toBeGreaterThan(60)
    await form.fill("true")
    await page.getByRole("button", { name: "Start 1 task" }).waitFor()
    await form.fill("")
    await visit("#/landing", text("Nothing is landing."))

    const ask = "echo a > a.txt; coppice agent ask 'Which?' --choice one; sleep 1000"
    const asking = await fleet.start(ask, "--title", "Asks")
    const red = await fleet.start("echo r > red.txt; echo a > a.txt", "--title", "Red")
    await fleet.until(red, ({ state }) => state === "in_approval")
    await fleet.event(({ type }) => type === "question.asked")
    await visit("#/", text("Which?"))
    await visit("#/landing", text("a person to approve"))
    await visit("#/fleet", text("Disk per worktree"))
    const todo = page.getByRole("region", { name: "Source todo" })
    await todo.getByText(/^polled \d+[sm] ago$/).waitFor()
    expect(await todo.textContent()).toMatch(/files0 of \d+ in work/)
    const gone = page.getByRole("region", { name: "Source gone" })
    await gone.getByText(/^The folder .*nowhere cannot be read/).waitFor()
    await gone.getByText("no poll has succeeded").waitFor()
    await gone.getByText(/^next try /).waitFor()
    await visit("#/homes", text("This home"))
    for (const [tab, words] of Object.entries({
      talk: "prompt",
      changes: "its own work",
      runs: "Gates",
      history: "created",
      terminal: "New terminal",
    }))
      await visit(`#/task/${asking}/${tab}`, text(words))
    await page.setViewportSize({ width: 390, height: 800 })
    const tabs = await page
      .locator(".tab")
      .evaluateAll((all) =>
        all.map((one) => Math.round((one as unknown as { offsetTop: number }).offsetTop)),
      )
    expect(new Set(tabs).size).toBe(1)
    await page.getByRole("button", { name: "New terminal" }).click()
    await page.getByText("Shift+F6 leaves").waitFor()
    await expectAccessible(dashboard)

    await visit("#/task/99", () =>
      page.getByRole("heading", { level: 1, name: "Task 99" }).waitFor(),
    )
    await page.getByText("There is no task 99. coppice ls lists the tasks").waitFor()
    await page.getByRole("link", { name: "All tasks" }).click()
    await page.getByRole("region", { name: "Needs you 2" }).waitFor()
    const stranger = await openPage()
    await stranger.goto(new URL(link).origin)
    await stranger.getByText("This browser is not logged in").waitFor()
    await expectAccessible({ page: stranger })
    expect(problems.filter((words) => !words.includes("404"))).toEqual([])
  },
)
