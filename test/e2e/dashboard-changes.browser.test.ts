/** The changes of a task in a real browser: whole, in both views, with names and marks of any kind. */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"

const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
const { browserTest, openDashboard } = withBrowser()

browserTest("the page says how many lines it does not show, and shows them [38.27]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "for f in a b c; do seq 1200 > $f.txt; done", "--title", "Long")
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/task/1/changes")
  const changes = (name: string) => page.getByRole("region", { name: `Changes of ${name}.txt` })
  await changes("a").getByText("1200", { exact: true }).first().waitFor()
  expect(await changes("b").locator(".diff-line").count()).toBe(800)
  expect(await changes("c").locator(".diff-line").count()).toBe(0)
  await page.getByRole("button", { name: "1,200 more lines are not shown: show all" }).click()
  await page.getByRole("button", { name: "400 more lines are not shown: show all" }).click()
  for (const name of ["a", "b", "c"])
    await expect.poll(() => changes(name).locator(".diff-line").count()).toBe(1_200)
  expect(await page.getByText("not shown").count()).toBe(0)
  expect(problems).toEqual([])

  // A view that cannot be had leaves the way back to the other one.
  const error = { code: "task.busy", message: "No view of the target now.", hints: [] }
  await page
    .context()
    .route(/diff\?.*against=target/, (route) => route.fulfill({ status: 409, json: { error } }))
  await page.getByRole("button", { name: "as it would land now" }).click()
  await page.getByText("No view of the target now.").waitFor()
  await page.getByRole("button", { name: "its own work" }).click()
  await changes("a").getByText("1200", { exact: true }).first().waitFor()
})

browserTest("both views show a line once for each side, and what no eye sees [38.27]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.repo.write({
    "a.txt": "one\ntwo\nthree\n",
    "-- b.txt": "-- b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n",
  })
  fleet.repo.git("add", "--all")
  fleet.repo.git("commit", "-m", "two files")
  const code =
    "printf 'one\\nt\\342\\200\\213wo\\nthree' > a.txt; printf -- '++ b/y\\n@@ -1 +1 @@\\nx\\342\\200\\250diff --git a/o b/o\\n' > '-- b.txt'"
  await fleet.coppice("run", code, "--title", "Hidden")
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/task/1/changes")
  const texts = async (name: string, kind: string) => {
    const region = page.getByRole("region", { name: `Changes of ${name}` })
    return await region.locator(`.diff-code-${kind}`).allTextContents()
  }
  await page.getByRole("button", { name: "one column", pressed: true }).waitFor()
  const shown = async () => [
    await texts("a.txt", "delete"),
    await texts("a.txt", "insert"),
    await texts("-- b.txt", "delete"),
    await texts("-- b.txt", "insert"),
  ]
  await page.locator(".diff").first().waitFor()
  const expected = [
    ["two", "three"],
    ["t\\u{200b}wo", "three"],
    ["-- b/x", "diff --git a/x b/x"],
    ["++ b/y", "x\\u{2028}diff --git a/o b/o"],
  ]
  await expect.poll(shown).toEqual(expected)
  await page.getByText("No newline at end of file").waitFor()
  await expectAccessible(dashboard)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole("button", { name: "side by side" }).click()
  await page.locator(".diff-split").first().waitFor()
  await expect.poll(shown).toEqual(expected)
  expect(await page.locator(".removed").allTextContents()).toEqual(["−2", "−2"])
  await expectAccessible(dashboard)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await page.getByRole("button", { name: "side by side", pressed: true }).waitFor()
  expect(problems).toEqual([])
})
