/** The demo, from the command line and from the page of a home without tasks. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { connect } from "../../src/api/client/connect.ts"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { waitFor } from "../support/wait-for.ts"

const { browserTest, openDashboard } = withBrowser()

const states = async (home: string, env: Record<string, string>) =>
  (await connect({ home, env }).list()).tasks.map(({ state }) => state)

test("the demo lands three tasks, one after a conflict, and the fourth waits for a person [38.17]", async () => {
  await using scratch = new ScratchHome()
  // Another home's variables do not lead the demo there.
  const env = scratch.env({ TMPDIR: scratch.path, COPPICE_HOME: "/", COPPICE_STATE: scratch.path })
  const { code, stdout, stderr } = await coppice(scratch.path, ["demo", "--print"], { env })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/#\/login\//)])
  const home = /repository: (\S+)/.exec(stderr)![1]!
  const own = scratch.env()
  await waitFor("three of its tasks", async () => {
    const now = (await states(home, own)).sort()
    return `${now}` === "complete,complete,complete,in_approval"
  })
  const { landing } = await connect({ home, env: own }).show("2")
  expect(landing).toMatchObject({ outcome: "LANDED", handbacks: 1 })
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", home, ...args], { encoding: "utf8" })
  expect(git("show", "main:greet.sh")).toContain('echo "Hello, ${2:+$2 }$1!"')
  expect(git("status", "--porcelain")).toBe("")
  expect(git("show", "main:tests/goodbye.sh")).toContain("Goodbye")
})

browserTest(
  "a home without tasks offers the demo, which a person approves, and a first task [38.17]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    fleet.extra["TMPDIR"] = fleet.home.path
    await using dashboard = await openDashboard(fleet)
    const { page, problems, link } = dashboard
    await page.getByText("No tasks yet").waitFor()
    await expectAccessible(dashboard)
    await page.getByRole("button", { name: "Try the demo" }).click()
    const asked = page.getByRole("region", { name: "Needs you 1" })
    await asked.getByText("evening").waitFor()
    await page.getByRole("region", { name: "Done 3" }).waitFor()
    await asked.getByRole("button", { name: /^Approve/ }).click()
    await page.getByRole("region", { name: "Done 4" }).waitFor()

    await page.goto(new URL(link).origin)
    await page.getByLabel("New tasks").fill("echo a > first.txt")
    await page.getByRole("button", { name: "Start 1 task" }).click()
    await page.getByRole("region", { name: "Done 1" }).waitFor()
    expect(existsSync(`${fleet.repo.path}/first.txt`)).toBe(true)
    expect(problems).toEqual([])
  },
)
