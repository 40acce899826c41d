/** Comments on lines of a diff, in a real browser: kept until they are sent as one message. */
import { expect } from "vitest"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
const EVIL = "<img src=x onerror=alert(1)>"
const { browserTest, openDashboard } = withBrowser()

browserTest(
  "comments on lines outlive a reload, and reject the work with one message [38.12]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    fleet.step(2, 'cat > "$STEPS/words"; echo four >> a.txt')
    await fleet.coppice("run", `printf 'one\\n${EVIL}\\nthree\\n' > a.txt`, "--title", "First")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/changes")
    await page.getByRole("button", { name: "Comment on line 1", exact: true }).click()
    await page.keyboard.type("Say zero.")
    await page.getByRole("button", { name: "Comment on line 1", exact: true }).focus()
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key)
    await page.keyboard.type(`No ${EVIL}`)
    await page.getByRole("button", { name: "Comment on line 2", exact: true }).click()
    await page.reload()
    await page
      .getByLabel("Comment on line 1", { exact: true })
      .and(page.locator("textarea"))
      .waitFor()
    const panel = page.getByRole("region", { name: "Comments to send" })
    await panel.getByText("2 comments to send").waitFor()
    await expectAccessible(dashboard)
    expect(await page.locator("#root img").count()).toBe(0)
    await panel.getByLabel("Words to go with").fill("Almost.")
    await panel.getByRole("button", { name: "Reject with 2 comments" }).click()
    await page.getByRole("button", { name: "Comment on line 4", exact: true }).waitFor()
    const message = [
      ...["Almost.", "Comments on lines of your changes:", "a.txt, line 1:", "> one", "Say zero."],
      ...["a.txt, line 3:", "> three", `No ${EVIL}`],
    ]
    expect(fleet.noted("words").join("\n")).toContain(message.join("\n"))
    expect(fleet.noted("words").join("\n")).not.toContain("line 2")
    await panel.getByText("0 comments to send").waitFor()
    await panel.getByRole("button", { name: "Remove the comment on a.txt, line 2" }).click()
    await panel.waitFor({ state: "detached" })
    expect(problems).toEqual([])
  },
)

browserTest(
  "a refused message keeps the comments, and a working agent gets them [38.12]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    fleet.step(2, 'cat > "$STEPS/words"')
    const wait = 'until [ -e "$STEPS/go" ]; do sleep 0.05; done'
    await fleet.start(`echo one > a.txt; echo written > "$STEPS/written"; ${wait}`)
    // No event says that a file has changed, so a page that is open would not show it.
    await waitFor("its file", () => fleet.noted("written").length > 0)
    await using dashboard = await openDashboard(fleet)
    const { page, open } = dashboard
    await open("#/task/1/changes")
    await page.getByRole("button", { name: "Comment on line 1", exact: true }).click()
    const panel = page.getByRole("region", { name: "Comments to send" })
    const send = panel.getByRole("button", { name: "Say with 1 comment" })
    await page.locator(".comment textarea").fill("y".repeat(100_001))
    await send.click()
    await panel.getByRole("alert").getByText("shorten it").waitFor()
    await page.locator(".comment textarea").fill("Use two.")
    await send.click()
    await panel.waitFor({ state: "detached" })
    fleet.noted("go")
    await fleet.until("1", ({ state }) => state === "complete")
    expect(fleet.noted("words").join("\n")).toContain("a.txt, line 1:\n> one\nUse two.")
  },
)
