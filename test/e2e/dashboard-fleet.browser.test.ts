/** The landing lane and the fleet page in a real browser, against a live daemon. */
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { WorktreesDocument } from "../../src/features/clean-up/wire.ts"
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
    const { landing } = await fleet.client.show("1")
    const short = (commit: string | null | undefined) => commit!.slice(0, 8)
    const tip = short(fleet.repo.git("rev-parse", "main").trim())
    await page.getByRole("heading", { name: `main ${tip}` }).waitFor()
    await page.getByText(`${short(landing?.candidate)} on ${tip}`).waitFor()
    await page.getByRole("link", { name: EVIL }).waitFor()
    expect(await page.locator("#root img").count()).toBe(0)
    await expectAccessible(dashboard)
    fleet.noted("go")
    await page.getByText("Nothing is landing.").waitFor()
    expect(problems).toEqual([])
  },
)

browserTest(
  "the landing lane offers what its entries need: approve, changes, land again, restart [38.45]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: '[ ! -e a.txt ] || [ ! -e "$STEPS/red" ]' },
      sh: { landing: { mode: "approve", max_handbacks: 0 } },
    })
    await fleet.coppice("run", "echo a > a.txt", "--title", "Reviewed")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/landing")
    await page.getByText("to approve").or(page.getByText("in review")).first().waitFor()
    await page.getByRole("link", { name: "Changes" }).click()
    await page.getByText("a.txt").first().waitFor()
    await open("#/landing")
    const approve = page.getByRole("button", { name: /^Approve / })
    await approve.waitFor()
    await expectAccessible(dashboard)
    fleet.noted("red")
    await approve.click()
    const failed = page.getByRole("region", { name: "Did not land" })
    await failed.getByRole("link", { name: "Reviewed" }).waitFor()
    await failed.getByRole("button", { name: "Restart" }).waitFor()
    await failed.getByRole("link", { name: "Changes" }).waitFor()
    await expectAccessible(dashboard)
    rmSync(join(fleet.steps, "red"))
    await failed.getByRole("button", { name: "Land again" }).click()
    await page
      .getByRole("button", { name: /^Approve / })
      .or(page.getByText("Nothing is landing."))
      .first()
      .waitFor()
    expect(problems).toEqual([])
  },
)

browserTest("a person changes the order of the landing queue [17.14]", async () => {
  await using fleet = new Fleet({
    repo: { gate: 'until [ -e "$STEPS/go" ]; do sleep 0.05; done' },
  })
  for (const title of ["Gated", "Alpha", "Beta", EVIL]) {
    const id = await fleet.start("echo x > $COPPICE_TASK.txt", "--title", title)
    await fleet.until(id, ({ landing }) => landing !== null && landing.state !== "snapshotting")
  }
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/landing")
  const titles = () => page.locator(".lane h3").allTextContents()
  const place = (title: string) => page.locator(".lane > li").filter({ hasText: title })
  await place(EVIL).getByRole("button", { name: "First" }).click()
  await waitFor(
    "first",
    async () => (await titles()).join() === ["Gated", EVIL, "Alpha", "Beta"].join(),
  )
  await place("Alpha").getByRole("button", { name: "Later" }).click()
  await waitFor(
    "later",
    async () => (await titles()).join() === ["Gated", EVIL, "Beta", "Alpha"].join(),
  )
  await place("Beta").getByRole("button", { name: "Earlier" }).click()
  await waitFor("earlier", async () => (await titles())[1] === "Beta")
  expect(await place("Gated").getByRole("button", { name: "Later" }).count()).toBe(0)
  await expectAccessible(dashboard)
  const moved = await fleet.coppice("queue", "move", "2", "before", "3")
  expect(moved.stdout).toMatch(/gating.* Gated[^]*Alpha[^]*Beta/)
  const refused = await fleet.coppice("queue", "move", "1", "last")
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("position is fixed")])
  expect((await fleet.coppice("queue", "move", "2", "up")).code).toBe(2)
  fleet.noted("go")
  for (const id of ["1", "2", "3", "4"]) await fleet.until(id)
  expect(fleet.log().slice(0, 4)).toEqual(
    [EVIL, "Beta", "Alpha", "Gated"].map((title) => `agent: ${title}`),
  )
  expect(problems).toEqual([])
})

browserTest(
  "the fleet page starts several tasks, and switches and triggers a schedule [38.11]",
  async () => {
    const schedules = { nightly: { cron: "0 3 1 1 *", prompt: "true", enabled: false } }
    const sh = { schedules, max_concurrent: 2 }
    await using fleet = new Fleet({ repo: { gate: false }, sh })
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
    await page.getByRole("region", { name: "Tasks at work" }).getByText("0 of 2").waitFor()
    await page.getByText("of 4 in all").waitFor()
    await nightly.getByText(/^next /).waitFor()
    await expectAccessible(dashboard)
    expect(await page.locator("#root img").count()).toBe(0)
    expect(problems).toEqual([])
  },
)

browserTest(
  "limits and figures are charts with their values in words, and keep up to date [38.44]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: false },
      sh: { reserve: 0.25 },
      limits: { per_day: { turns: 8, time: "1h" } },
    })
    await fleet.coppice("run", "echo a > a.txt")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/fleet")
    const chart = (name: string) => page.getByRole("region", { name, exact: true })
    await chart("Used today").getByText("1 of 8").waitFor()
    await chart("Used today")
      .getByText(/^\d.\d min of 60.0 min$/)
      .waitFor()
    await chart("Kept for you").getByText("25%").waitFor()
    await chart("Time to land").getByText("nine of ten within").waitFor()
    const landed = chart("Landed per day").locator("li")
    await expect.poll(() => landed.last().textContent()).toMatch(/ 1$/)
    await expectAccessible(dashboard)
    await fleet.coppice("run", "echo b > b.txt")
    await chart("Used today").getByText("2 of 8").waitFor()
    await expect.poll(() => landed.last().textContent()).toMatch(/ 2$/)
    expect(problems).toEqual([])
  },
)

browserTest("the fleet page stacks a new task on another one [17.13, 38.11]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const wait = 'until [ -e "$STEPS/go" ]; do sleep 0.05; done; echo a > a.txt'
  const lower = await fleet.start(wait, "--title", EVIL)
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/fleet")
  await page.getByLabel("New tasks").fill("test -e a.txt && echo b > b.txt")
  const on = page.getByLabel("Start from the work of a task")
  await on.fill("9")
  const start = page.getByRole("button", { name: "Start 1 task" })
  await start.click()
  await page.getByRole("alert").getByText("There is no task `9`").waitFor()
  await expect.poll(() => page.locator("datalist option").allTextContents()).toEqual([EVIL])
  await expectAccessible(dashboard)
  await on.fill(lower)
  await start.click()
  await waitFor("the task", async () => (await fleet.client.listLines()).tasks.length === 2)
  expect(await fleet.client.show("2")).toMatchObject({ on: lower })
  fleet.noted("go")
  expect(await fleet.until("2")).toMatchObject({ state: "complete" })
  expect(problems).toEqual([expect.stringContaining("404")]) // of the task 9
})

browserTest(
  "sub-tasks stand below their parent, and one act gives up all of them [38.13]",
  async () => {
    const sh = { tasks: { propose: "allow" } }
    await using fleet = new Fleet({ repo: { gate: false }, sh })
    const propose = `coppice agent propose_task '${EVIL}' "sleep 1000"`
    await fleet.start(
      `${propose}; coppice agent propose_task Second "sleep 1000"`,
      "--title",
      "Root",
    )
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await page.locator(".card.depth-1").getByText("part of 1").nth(1).waitFor()
    const titles = page.locator(".card.depth-1 h3")
    await expect.poll(() => titles.allTextContents()).toEqual(["Second", EVIL])
    await open("#/task/2")
    const tree = page.getByRole("region", { name: "Sub-tasks" })
    await tree.locator('[aria-current="true"]').getByText(EVIL).waitFor()
    const family = tree.locator("li a")
    await expect.poll(() => family.allTextContents()).toEqual(["Root", EVIL, "Second"])
    await expectAccessible(dashboard)
    await tree.getByRole("link", { name: "Root" }).click()
    await page.getByRole("button", { name: "Cancel all" }).click()
    await page.getByRole("button", { name: "Give it and its sub-tasks up?" }).click()
    await tree.getByText("cancelled").nth(2).waitFor()
    expect(await page.locator("#root img").count()).toBe(0)
    expect(problems).toEqual([])
  },
)

browserTest(
  "the fleet page shows the disk space of each worktree, as `worktree list` does [38.14]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    const id = await fleet.start("head -c 3000000 /dev/urandom > big; sleep 1000", "--title", EVIL)
    const { repos } = await fleet.until(id, ({ repos }) => repos[0]?.worktree !== null)
    const worktree = repos[0]!.worktree!
    // The page measures it once, so all of it must be there before.
    const bytes = () => statSync(join(worktree, "big"), { throwIfNoEntry: false })?.size ?? 0
    await waitFor("the file", () => bytes() === 3_000_000)
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/fleet")
    const disk = page.getByRole("region", { name: "Disk per worktree" })
    await disk.getByText(`${id} ${EVIL}`).waitFor()
    const row = disk.locator("li").filter({ hasText: EVIL })
    expect(await row.textContent()).toMatch(/[3-9]\.\d MB$/)
    await expectAccessible(dashboard)
    const sized = await fleet.json(WorktreesDocument, ["worktree", "list", "--sizes"])
    expect(sized.worktrees[0]).toMatchObject({ task: id, path: worktree })
    expect(sized.worktrees[0]!.bytes).toBeGreaterThan(3e6)
    const plain = await fleet.json(WorktreesDocument, ["worktree", "list"])
    expect(plain.worktrees[0]!.bytes).toBe(null)
    expect((await fleet.coppice("worktree", "list", "--sizes")).stdout).toMatch(/SIZE.*\n.* MB /)
    expect(problems).toEqual([])
  },
)
