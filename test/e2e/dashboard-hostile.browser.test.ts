/**
 * Hostile texts wherever another program or person may write. Each stands on the page as a text. No
 * script of theirs runs, the policy of the page has nothing to refuse, and no page gets wider. The same
 * holds in a browser that ignores the policy: texts are texts without it.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { LoginLinkDocument } from "../../src/api/wire/browser.ts"
import { withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const { browserTest, openDashboard, openPage } = withBrowser()

const TAGS = `<img src=x onerror=canary=1><script>canary=1</script><a href="javascript:canary=1">x</a>`
/** A reversed word, one with a letter of no width, a colour of terminals, and a bell. */
const HIDDEN = "re\u202everse ze\u200bro \u001b[31mred\u001b[0m\u0007"
const LONG = "W".repeat(10_000)
/** A reason is cut after its first thousands of characters. */
const REASON_CHARS_MIN = 2_000
const LINK = "javascript:canary=1"
/** One line of at most 500 characters without control characters. */
const LINE = `${TAGS} ${LINK} re\u202everse ze\u200bro`.slice(0, 400)
const WIDE_LINE = "W".repeat(500)
/** The names of agents, sources and schedules, which hold letters and digits alone. */
const NAME = `n${"W".repeat(299)}`
/** Letters that a path may have, and git quotes; one of a branch, which has no space. */
const FILE = `<svg onload=canary=1>\u202e"'.txt`
const WIDE_FILE = "W".repeat(250)
const BRANCH = "<img/src=x/onerror=canary=1>\u202e(javascript:canary=1)".replaceAll(":", "=")

/** Runs before each page: what a script of theirs would leave behind, and what the policy refused. */
const WATCH = `{
  globalThis.refused = []
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    refused.push(violatedDirective + " " + blockedURI))
}`

const SH = `
  if [ "$COPPICE_PHASE" = planning ]; then cat "$STEPS/plan"; exit; fi
  exec sh`

function hostileFleet(): Fleet {
  const fleet = new Fleet()
  writeFileSync(join(fleet.steps, "text"), `${TAGS}\n${HIDDEN}\n${LINK}\n${LONG}\n`)
  writeFileSync(join(fleet.steps, "line"), LINE)
  writeFileSync(join(fleet.steps, "file"), FILE)
  writeFileSync(join(fleet.steps, "plan"), `${TAGS} ${HIDDEN} ${"W".repeat(1_000)}\n`)
  writeFileSync(join(fleet.steps, "wide"), WIDE_LINE)
  fleet.repo.git("branch", BRANCH)
  const critic = 'coppice agent review changes "$(cat "$STEPS/text")"; exit 0'
  const env = { STEPS: fleet.steps }
  fleet.approve(
    {
      version: 1,
      limits: { concurrent: 20 },
      repos: { app: { gate: `echo '${TAGS}'; test ! -e red.txt`, target: BRANCH } },
      agents: {
        [NAME]: {
          runtime: "command",
          command: SH,
          env,
          landing: { mode: "approve", max_handbacks: 0 },
          schedules: { [NAME]: { cron: "0 3 1 1 *", prompt: TAGS, enabled: false } },
        },
        reviewed: { runtime: "command", command: SH, env, review: { by: "critic" } },
        critic: { runtime: "command", command: critic, env },
      },
      sources: { [NAME]: { type: "files", folder: TAGS.replaceAll("/", "-"), agent: NAME } },
    },
    "configure",
  )
  return fleet
}

const SCRIPTS = {
  files: `cp "$STEPS/text" "$(cat "$STEPS/file")"; cp "$STEPS/text" ${WIDE_FILE}; cat "$STEPS/text"; coppice agent progress "$(cat "$STEPS/line")"`,
  asks: `coppice agent ask "$(cat "$STEPS/text")" --choice "$(cat "$STEPS/line")" --choice "$(cat "$STEPS/wide")"`,
  proposes: `coppice agent propose_task "$(cat "$STEPS/line")" "$(cat "$STEPS/text")"; sleep 1000`,
  sticks: `cat "$STEPS/text"; coppice agent stuck "$(cat "$STEPS/text")"`,
  reviewed: "echo r > r.txt",
}

browserTest(
  "hostile texts in every field stay texts, within the width of the page [36.1, 36.2, 38.3, 38.8]",
  async () => {
    await using fleet = hostileFleet()
    const run = (script: string, ...options: string[]) =>
      fleet.start(`${script} # ${TAGS} ${LONG}`, "--title", LINE, ...options)
    const as = (name: string) => ["--agent", name]
    const files = await run(SCRIPTS.files, ...as(NAME), "--work-item", "W-1")
    const asks = await run(SCRIPTS.asks, ...as(NAME))
    const proposes = await run(SCRIPTS.proposes, ...as(NAME))
    const planned = await run("true", ...as(NAME), "--plan", "approve")
    const stuck = await run(SCRIPTS.sticks, ...as(NAME))
    const reviewed = await run(SCRIPTS.reviewed, ...as("reviewed"))
    await fleet.until(files, ({ state }) => state === "in_approval")
    await fleet.until(planned, ({ state }) => state === "planning_complete")
    await fleet.until(stuck, ({ state }) => state === "stuck")
    await fleet.until(reviewed, ({ reviews }) => reviews.some(({ comments }) => comments))
    for (const id of [asks, proposes])
      await waitFor("its question", async () => {
        const { questions } = await fleet.client.questions(id)
        return questions.length > 0
      })

    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    const visits: readonly (readonly [hash: string, ...texts: string[]])[] = [
      ["#/", TAGS, LONG, NAME],
      ["#/landing", TAGS, "→ <img/src=x/onerror=canary=1>(javascript=canary=1)"],
      ["#/fleet", `Schedule ${NAME}/${NAME}`, `Source ${NAME}`, "cannot be read"],
      ["#/homes", TAGS],
      [`#/task/${files}/talk`, TAGS],
      [`#/task/${files}/runs`, NAME],
      [`#/task/${files}/history`, "created"],
      [`#/task/${files}/changes`, `<svg onload=canary=1>\\u{202e}`],
      [`#/task/${asks}/talk`, "re\\u{202e}verse ze\\u{200b}ro"],
      [`#/task/${proposes}/talk`, "\\u{1b}[31mred"],
      [`#/task/${planned}/talk`, "\\u{202e}"],
      [`#/task/${stuck}/talk`, LONG.slice(0, REASON_CHARS_MIN)],
      [`#/task/${reviewed}/talk`, "wants changes"],
      [`#/task/${encodeURIComponent(TAGS + LONG)}/talk`, "no task"],
    ]
    await page.addInitScript(WATCH)
    await page.reload()
    for (const one of visits) await visit(page, ...one)
    await open("#/")
    await page.getByRole("button", { name: WIDE_LINE }).waitFor()

    const unguarded = await openPage({ bypassCSP: true })
    await unguarded.addInitScript(WATCH)
    await unguarded.goto((await fleet.json(LoginLinkDocument, ["ui"])).url)
    await unguarded.getByRole("status").getByText(/^Live/).waitFor()
    await runInline(unguarded)
    expect(await unguarded.evaluate("typeof inline"), "no policy is in force").toBe("number")
    for (const one of visits) await visit(unguarded, ...one)
    await unguarded.context().close()
    await expect(runInline(page)).rejects.toThrow("TrustedScript")
    await page.reload()

    await open(`#/task/${files}/changes`)
    await page.getByRole("button", { name: "Comment on line 3", exact: true }).first().click()
    await page.keyboard.insertText(`${TAGS}${LONG}`)
    await visit(
      page,
      `#/task/${files}/changes`,
      `<svg onload=canary=1>\\u{202e}`,
      "1 comment to send",
    )
    expect(await page.locator(".diff").first().textContent()).toContain("\\u{1b}[31mred")
    await page.getByRole("button", { name: "Reject with 1 comment" }).click()
    await visit(page, `#/task/${files}/talk`, "prompt of turn 2")
    expect(problems.filter((text) => !/404|Trusted/.test(text))).toEqual([])
  },
)

async function visit(page: Page, hash: string, ...texts: string[]): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  for (const text of texts) await page.getByText(text).filter({ visible: true }).first().waitFor()
  await expectHarmless(page, hash)
}

/** As a hostile text would do it, were it no text. */
const runInline = (page: Page) =>
  page.evaluate(`{
    const script = document.createElement("script")
    script.textContent = "globalThis.inline = 1"
    document.body.append(script)
    script.remove()
  }`)

/** Fields keep the words of the person as they are. */
async function expectHarmless(page: Page, hash: string): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    const found = await page.evaluate(`({
      canary: typeof canary,
      refused,
      elements: document.querySelectorAll("#root :is(img, script, svg:not(.curves), iframe, [onerror], [onload])").length,
      links: [...document.querySelectorAll("a")].filter(({ href }) => /^javascript/i.test(href)).length,
      hidden: /[\\u202e\\u200b\\u001b\\u0007]/.test(document.body.innerText + document.title),
      tooWide: document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("*")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map(({ tagName, className }) => tagName + "." + className).slice(-5),
    })`)
    const harmless = { canary: "undefined", refused: [], elements: 0, links: 0 }
    expect.soft({ hash, width, found }).toEqual({
      hash,
      width,
      found: { ...harmless, hidden: false, tooWide: [] },
    })
  }
}
