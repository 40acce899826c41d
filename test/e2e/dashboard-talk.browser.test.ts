/** The conversation of a task in a real browser: whose words are whose, and where a reader stands. */
import { join } from "node:path"
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
const ACP_AGENT = join(import.meta.dirname, "../support/acp-agent.ts")
const EVIL = "<img src=x onerror=alert(1)>"
const { browserTest, openDashboard } = withBrowser()

browserTest("a conversation has the words of both sides, in order [38.28]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, "echo second; echo b > b.txt")
  await fleet.coppice("run", `echo first; echo a > a.txt # ${EVIL}`, "--title", "First")
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/task/1")
  const talk = page.getByRole("region", { name: "Conversation" })
  await talk.getByText("first", { exact: true }).waitFor()
  await page.getByLabel("A message for its agent").fill("Add b, please.")
  await page.getByRole("button", { name: "Say", exact: true }).click()
  await talk.getByText("second", { exact: true }).waitFor()
  const words = () => talk.locator(".said, .asked").allTextContents()
  const wanted = ["echo first; ", "first", "Add b, please.", "second"]
  const inOrder = async () => {
    const all = await words()
    const at = all.findIndex((word) => word.includes(wanted[0]!))
    return wanted.every((part, n) => {
      const word = all[at + n] ?? ""
      return part === "first" ? word === part : word.includes(part)
    })
  }
  // Prompts and lines come in answers of their own.
  await expect.poll(inOrder).toBe(true)
  expect((await words()).find((word) => word.includes(wanted[0]!))).toContain(EVIL)
  expect(await page.locator("#root img").count()).toBe(0)
  await expectAccessible(dashboard)
  expect(problems).toEqual([])
})

browserTest(
  "the end of a conversation stays in view, until a person scrolls up [38.28]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await fleet.start(
      'seq 200; until [ -e "$STEPS/more" ]; do sleep 0.05; done; seq 201 300; until [ -e "$STEPS/end" ]; do sleep 0.05; done; seq 301 400; sleep 1000',
    )
    await using dashboard = await openDashboard(fleet)
    const { page, open } = dashboard
    await open("#/task/1")
    const talk = page.getByRole("region", { name: "Conversation" })
    const line = (text: string) => talk.getByText(text, { exact: true })
    const below = () => talk.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await line("200").waitFor()
    await waitFor("the end in view", async () => (await below()) < 24)
    fleet.noted("more")
    await line("300").waitFor()
    await waitFor("the new end in view", async () => (await below()) < 24)
    await talk.evaluate(async (box) => {
      const noticed = new Promise((resolve) =>
        box.addEventListener("scroll", resolve, { once: true }),
      )
      box.scrollTo({ top: 100 })
      await noticed
    })
    fleet.noted("end")
    await line("400").waitFor()
    expect(await talk.evaluate((box) => box.scrollTop)).toBe(100)
  },
)

browserTest(
  "earlier lines come page by page, and what is in view stays there [38.46]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    await fleet.coppice("run", "seq 1200", "--title", "Long")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1")
    const talk = page.getByRole("region", { name: "Conversation" })
    const numbers = async () =>
      (await talk.locator(".said").allTextContents()).filter((text) => /^\d+$/.test(text))
    const upTo1200 = (first: number) =>
      Array.from({ length: 1201 - first }, (_, at) => String(first + at))
    const first = async () => Number((await numbers())[0])
    await talk.getByText("1200", { exact: true }).waitFor()
    const start = await first()
    expect(start).toBeGreaterThan(600)
    const seen = talk.getByText(String(start), { exact: true })
    await seen.scrollIntoViewIfNeeded()
    const place = async () => (await seen.boundingBox())?.y
    const before = await place()
    await talk.getByRole("button", { name: "Show earlier lines" }).click()
    await waitFor("earlier lines", async () => (await first()) < start)
    const now = await numbers()
    expect(now).toEqual(upTo1200(Number(now[0])))
    expect(Math.abs((await place())! - before!)).toBeLessThan(60)
    while ((await first()) > 1) {
      const last = await first()
      await talk.getByRole("button", { name: "Show earlier lines" }).click()
      await waitFor("more of them", async () => (await first()) < last)
    }
    expect(await numbers()).toEqual(upTo1200(1))
    await expectAccessible(dashboard)
    expect(problems).toEqual([])
  },
)

browserTest(
  "a text is shown as it is written, also to a page that opens later, and once when it is whole [38.43]",
  async () => {
    await using fleet = new Fleet()
    const command = [process.execPath, ACP_AGENT]
    const writer = { runtime: "acp", command, env: { HOME: fleet.steps } }
    fleet.configure({ repo: { gate: false }, agents: { writer } })
    await fleet.start(`WRITE One ${EVIL} | two  | three`, "--agent", "writer")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1")
    const writing = page.locator(".writing")
    fleet.noted("0")
    await writing.getByText(`One ${EVIL}`).waitFor()
    expect(await fleet.client.log("1")).toMatchObject({ lines: [] })
    fleet.noted("1")
    await writing.getByText(`One ${EVIL}two`).waitFor()
    await expectAccessible(dashboard)
    await page.reload()
    await writing.getByText(`One ${EVIL}two`).waitFor()
    fleet.noted("2")
    const talk = page.getByRole("region", { name: "Conversation" })
    await talk.locator(".said.text:not(.writing)").getByText(`One ${EVIL}two three`).waitFor()
    await waitFor("no text of now", async () => (await writing.count()) === 0)
    expect(await talk.locator(".said.text").count()).toBe(1)
    expect(problems).toEqual([])
  },
)
