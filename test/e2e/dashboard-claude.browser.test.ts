/** A task of the real Claude Code in a real browser. A script speaks for the model. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"
import { pasteImage } from "../support/pixel.ts"

const EVIL = "<img src=x onerror=alert(1)> \u202e\u001b[31m"

const { browserTest, openDashboard } = withBrowser()

browserTest(
  "a person watches Claude Code work, speaks to it, decides on its tools and shows it an image [38.6, 38.28]",
  async () => {
    await using fleet = new Fleet()
    const go = join(fleet.steps, "go")
    const results: string[] = []
    await using api = await MessagesApi.start(({ step, texts, toolResults, conversation }) => {
      results.push(...toolResults)
      const said = texts.join("\n")
      if (step === 0) return { text: `I look first. ${EVIL}`, tools: [bash("echo one")] }
      if (step === 1)
        return { tools: [bash("echo two"), bash(`until [ -e ${go} ]; do sleep 0.05; done`)] }
      if (step === 2) return { tools: [bash("touch allowed.txt")] }
      if (step === 3) return { text: "One is there.", tools: [bash("touch denied.txt # no")] }
      if (/"type":"image"/.test(conversation) && said.includes("Like this"))
        return { text: "I see a pixel." }
      return { text: conversation.includes("Use blue.") ? "Blue it is." : "Not told." }
    })
    Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
    const claude = { permissions: { ask: ["Bash(touch *)"] }, landing: { mode: "approve" } }
    fleet.configure({ repo: { gate: false }, agents: { claude } })
    await fleet.start("Paint it.", "--agent", "claude", "--title", "Paint it")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1")

    const talk = page.getByRole("region", { name: "Conversation" })
    await talk.getByText("I look first. <img src=x onerror=alert(1)>").waitFor()
    const calls = talk.locator(":scope > details.tool")
    await calls.getByText(/^Bash: until .* \(3 calls\)$/).waitFor()
    await calls.locator("summary").first().click()
    await calls
      .locator("p")
      .getByText(/^Bash: until/)
      .waitFor()
    const one = calls.locator("details").filter({ hasText: "Bash: echo one" })
    await one.waitFor()
    expect(await one.locator("pre").isVisible()).toBe(false)
    await one.locator("summary").click()
    await one.locator("pre").getByText("one", { exact: true }).waitFor()
    await calls.locator("details").filter({ hasText: "Bash: echo two" }).waitFor()
    expect(await calls.locator("details").count()).toBe(2) // the third has printed nothing yet
    await page.getByLabel("A message for its agent").fill("Use blue.")
    await page.getByRole("button", { name: "Say now" }).click()
    await fleet.event(({ type }) => type === "message.sent")
    fleet.noted("go")

    const needs = page.getByRole("region", { name: "Needs you" })
    await needs.getByText("May it use Bash?").waitFor()
    expect(await needs.locator("dd").allTextContents()).toEqual([
      "touch allowed.txt",
      "Run a command",
    ])
    expect(await needs.textContent()).not.toContain("{")
    await needs.getByRole("button", { name: "Allow" }).click()
    await needs.getByText("touch denied.txt # no", { exact: true }).waitFor()
    await page.reload() // in the middle
    await needs.getByRole("button", { name: "Deny" }).click()
    await talk.getByText("Blue it is.").waitFor()
    const { data } = await fleet.event(({ type }) => type === "message.delivered")
    expect(data).toMatchObject({ n: 1 })
    await needs.getByRole("button", { name: /^Approve/ }).waitFor()
    expect(results.join("\n")).toMatch(/A person denied this/)
    const worktree = (await fleet.client.show("1")).repos[0]!.worktree!
    const isMade = (name: string) => existsSync(join(worktree, name))
    expect([isMade("allowed.txt"), isMade("denied.txt")]).toEqual([true, false])

    const field = page.getByLabel("A message for its agent")
    await field.fill("Like this, please.")
    await pasteImage(page)
    await page.getByText("With shot.png").waitFor()
    await page.getByRole("button", { name: "Say", exact: true }).click()
    await talk.getByText("I see a pixel.").waitFor()
    await page.getByText("shot.png (").click()
    await page.getByRole("img", { name: "shot.png" }).waitFor()
    expect(await page.locator("#root img:not(.shot)").count()).toBe(0)
    expect(await talk.textContent()).not.toMatch(/[\u202e\u001b]/)
    await needs.getByRole("button", { name: /^Approve/ }).click()
    await page.getByText("complete", { exact: true }).first().waitFor()
    expect(fleet.repo.git("ls-tree", "--name-only", "main").split("\n")).toContain("allowed.txt")
    expect(problems).toEqual([])
  },
)
