/**
 * The dashboard in a real browser, against a live daemon. Without Debian's Chromium, the tests are
 * skipped under a name that says so.
 */
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect } from "vitest"
import { listBarriers, withBrowser } from "../support/browser.ts"
import { DASHBOARD } from "../support/built.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { BUILT } from "../support/home.ts"
import { pasteImage } from "../support/pixel.ts"
import { waitFor } from "../support/wait-for.ts"

const SCRIPT_BYTES_MAX = 200_000
const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }

const { browserTest, openDashboard, openPage } = withBrowser()

browserTest("a person watches a task land, without a reload [38.5]", async () => {
  await using fleet = new Fleet()
  await using dashboard = await openDashboard(fleet)
  const { page, problems } = dashboard
  await page.getByText("No tasks yet").waitFor()
  await fleet.start('echo "at work"; until [ -e "$STEPS/go" ]; do sleep 0.05; done; echo a > a.txt')
  const working = page.getByRole("region", { name: "Working 1" })
  await working.getByText("at work").waitFor()
  fleet.noted("go")
  await page.getByRole("region", { name: "Done 1" }).getByText("complete").waitFor()
  await page.getByRole("link", { name: /^echo/ }).click()
  await page.getByRole("link", { name: "Changes" }).click()
  await page.getByText("a.txt", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByRole("button", { name: "Revert 1 commit?" }).click()
  await waitFor("the revert", () => /^Revert/.test(fleet.log()[0] ?? ""))
  expect(problems).toEqual([])
})

browserTest("a person approves exactly the commit that the card names [38.6]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, 'cat > "$STEPS/words"; echo b > b.txt')
  await fleet.coppice("run", "echo a > a.txt", "--title", "First")
  await using dashboard = await openDashboard(fleet)
  const { page, problems } = dashboard
  const card = page.getByRole("region", { name: "Needs you 1" })
  const { head: first } = (await fleet.client.show("1")).repos[0]!
  await card.getByText("1 file +1 −0").waitFor()
  await card.getByRole("button", { name: `Approve ${first!.slice(0, 8)}` }).waitFor()
  await card.getByLabel("Say what to change").fill("Add b, please.")
  await card.getByRole("button", { name: "Reject" }).click()
  await card.getByText("2 files +2 −0").waitFor()
  expect(fleet.noted("words").join("\n")).toContain("Add b, please.")
  const { head } = (await fleet.client.show("1")).repos[0]!
  expect(head).not.toBe(first)
  await card.getByRole("button", { name: `Approve ${head!.slice(0, 8)}` }).click()
  await page.getByRole("region", { name: "Done 1" }).waitFor()
  const { events } = await fleet.client.events({ task: "1" })
  expect(events.filter(({ type }) => type === "task.approved")).toHaveLength(1)
  expect(problems).toEqual([])
})

browserTest("a person answers a question, and restarts what is stuck [38.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const ask =
    'coppice agent ask "Which colour?" --choice red --choice blue > "$STEPS/answer"; exit 75'
  fleet.step(2, "echo done > a.txt")
  await fleet.start(ask)
  await using dashboard = await openDashboard(fleet)
  const { page, problems } = dashboard
  const card = page.getByRole("region", { name: "Needs you 1" })
  await card.getByText("Which colour?", { exact: true }).waitFor()
  await expect.poll(() => page.title()).toBe("(1) repo · Coppice")
  await card.getByRole("button", { name: "blue" }).click()
  await card.getByText("stuck").waitFor()
  expect(fleet.noted("answer").join("\n")).toContain("blue")
  await card.getByRole("button", { name: "Restart" }).click()
  await page.getByRole("region", { name: "Done 1" }).waitFor()
  expect(problems).toEqual([])
})

browserTest(
  "after a reload, and after a new daemon, the page has every event once, and it says when it is not live [38.7]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    const wait = (name: string) => `until [ -e "$STEPS/${name}" ]; do sleep 0.05; done`
    await fleet.start(`echo one; ${wait("go")}; echo two; echo a > a.txt; ${wait("end")}`)
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/talk")
    await page.getByText("one", { exact: true }).waitFor()
    await page.reload()
    await page.getByText("one", { exact: true }).waitFor()
    fleet.noted("go")
    await page.getByText("two", { exact: true }).waitFor()
    expect(await page.locator(".said").allTextContents()).toEqual(["one", "two"])

    await open("#/task/1/history")
    await page.locator(".history li").first().waitFor()
    await fleet.kill()
    await page.getByText("Not live").waitFor()
    await fleet.coppice("up", "-d")
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
    fleet.noted("end")
    await fleet.until("1", ({ state }) => state === "complete")
    await page.getByText("complete", { exact: true }).waitFor()
    const wanted = async () =>
      (await fleet.client.events({ task: "1" })).events.map(({ seq }) => seq).join()
    const shown = () =>
      page
        .locator(".history li")
        .evaluateAll((items) =>
          items.map((item) =>
            Number((item as unknown as { dataset: { seq: string } }).dataset.seq),
          ),
        )
    await waitFor("every event once", async () => (await shown()).join() === (await wanted()))
    expect(problems).toEqual([])
  },
)

browserTest(
  "an open page gives its session to no other program that takes the daemon's port [38.4]",
  async () => {
    await using fleet = new Fleet()
    await using dashboard = await openDashboard(fleet)
    const { page, link } = dashboard
    const { hostname, port } = new URL(link)
    await fleet.kill()
    await page.getByText("Not live").waitFor()
    const seen: string[] = []
    const thief = createServer(({ method, url, headers }, answer) => {
      seen.push(`${method} ${url} ${JSON.stringify(headers)}`)
      answer
        .setHeader("content-type", "application/json")
        .end('{"proof":"x","tasks":[],"events":[]}')
    })
    thief.on("upgrade", ({ url, headers }) =>
      seen.push(`upgrade ${url} ${JSON.stringify(headers)}`),
    )
    thief.listen(Number(port), hostname)
    await waitFor("questions of the page", () => seen.length >= 4)
    thief.closeAllConnections()
    thief.close()
    expect(seen.filter((one) => !one.startsWith("POST /session/proof "))).toEqual([])
    expect(seen.filter((one) => /"cookie"|x-coppice-key|sec-websocket/.test(one))).toEqual([])
    await fleet.coppice("up", "-d")
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
  },
)

browserTest("hostile texts in every field are shown as texts [38.3]", async () => {
  await using fleet = new Fleet(REVIEWED)
  const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
  const file = "<svg onload=alert(3)>.txt"
  await fleet.start(
    `echo '${evil}'; echo '${evil}' > '${file}'; coppice agent ask '${evil} \u202e?' --choice '${evil}'`,
    ...["--title", `${evil} javascript:alert(4)`],
  )
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  const card = page.getByRole("region", { name: "Needs you 1" })
  await card.getByText(`${evil} \\u{202e}?`).waitFor()
  await card.getByRole("button", { name: evil }).waitFor()
  await open("#/task/1/talk")
  await page.locator(".said").getByText(evil).waitFor()
  await open("#/task/1/changes")
  await page.locator("summary").getByText(file).waitFor()
  await page.locator(".diff-code-insert").getByText(evil).waitFor()
  await open("#/task/1/history")
  await page.locator(".history").getByText(evil).first().waitFor()
  await open(`#/task/${encodeURIComponent(evil)}/talk`)
  await page.getByText(/There is no task|No task/).waitFor()
  expect(await page.locator("#root img, #root script, #root svg").count()).toBe(0)
  expect(problems.filter((text) => !text.includes("404"))).toEqual([])
})

browserTest(
  "every page is accessible, in light and dark, and at the width of a phone [38.8]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt; mkdir b; echo b > b/b.txt", "--title", "To approve")
    await fleet.coppice("run", "echo 'I need a key'; exit 75", "--title", "Stuck")
    await fleet.start('coppice agent ask "Which?" --choice a', "--title", "Asks")
    await fleet.start("echo at work; sleep 60", "--title", "Works")
    await fleet.coppice("run", "true", "--title", "Done")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await page.getByRole("region", { name: "Needs you 3" }).waitFor()
    await page.getByText("2 files").waitFor()
    const pages = {
      "#/": page.getByRole("region", { name: "Needs you 3" }),
      "#/task/1/talk": page.getByRole("region", { name: "Prompt of turn 1" }),
      "#/task/1/changes": page.locator(".diff").nth(1),
      "#/task/1/history": page.locator(".history li").first(),
      "#/task/4/talk": page.locator(".said").getByText("at work", { exact: true }),
    }
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width: scheme === "dark" ? 390 : 1280, height: 800 })
      for (const [hash, content] of Object.entries(pages)) {
        await open(hash)
        await content.waitFor()
        expect({ hash, scheme, barriers: await listBarriers(page) }).toMatchObject({ barriers: [] })
        const isTooWide = "document.documentElement.scrollWidth > innerWidth"
        expect({ hash, isTooWide: await page.evaluate(isTooWide) }).toMatchObject({
          isTooWide: false,
        })
      }
    }
    expect(problems).toEqual([])
  },
)

browserTest("keys move between the tasks, filter them, open one and go back [38.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.coppice("run", "true", "--title", "First")
  await fleet.coppice("run", "true", "--title", "Second")
  await using dashboard = await openDashboard(fleet)
  const { page } = dashboard
  const focused = () => page.evaluate("document.activeElement.textContent")
  await page.getByText("Second").waitFor()
  await page.keyboard.press("j")
  await expect.poll(focused).toBe("Second")
  await page.keyboard.press("j")
  await expect.poll(focused).toBe("First")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: "First" }).waitFor()
  await page.keyboard.press("Escape")
  await page.getByText("Second").waitFor()
  await page.keyboard.press("/")
  await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("input")
  await page.keyboard.type("sec")
  await page.getByText("First").waitFor({ state: "detached" })
  expect(await page.locator(".card").count()).toBe(1)
})

browserTest(
  "a used link logs no other browser in, and logging out ends a session [38.1]",
  async () => {
    await using fleet = new Fleet()
    await using dashboard = await openDashboard(fleet)
    const { page, link } = dashboard
    expect(page.url()).not.toContain("login")
    const other = await openPage()
    await other.goto(link)
    await other.getByText("This browser is not logged in").waitFor()
    expect(await listBarriers(other)).toEqual([])
    await page.getByRole("button", { name: "Log out" }).click()
    await page.getByText("This browser is not logged in").waitFor()
  },
)

browserTest("the page starts with scripts of at most 200 KB gzipped [38.9]", async () => {
  const folder = join(process.env[BUILT] ?? "", DASHBOARD)
  const scripts = new Set<string>()
  const load = (path: string): void => {
    if (scripts.has(path)) return
    scripts.add(path)
    const code = readFileSync(join(folder, path), "utf8")
    for (const [, name] of code.matchAll(/\bfrom ?"\.\/([^"]+)"/g)) load(`assets/${name}`)
  }
  const page = readFileSync(join(folder, "index.html"), "utf8")
  for (const [, path] of page.matchAll(/<script[^>]* src="\/([^"]+)"/g)) load(path!)
  expect(scripts.size).toBeGreaterThan(0)
  const bytes = [...scripts].map((path) => gzipSync(readFileSync(join(folder, path))).length)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX)
  expect(page).not.toMatch(/<script(?![^>]* src=)|style=/)
})

browserTest("a page that was opened by a read-only link has no buttons [38.25]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt", "--title", "First")
  await using dashboard = await openDashboard(fleet, "--read-only")
  const { page, open, problems } = dashboard
  await page.getByRole("region", { name: "Needs you 1" }).getByText("First").waitFor()
  const buttons = async () => (await page.getByRole("button").allInnerTexts()).join()
  await page.getByRole("button", { name: "Log out" }).waitFor()
  expect(await buttons()).toBe("Log out")
  await open("#/fleet")
  await page.getByText("Disk per worktree").waitFor()
  expect(await buttons()).toBe("Log out")
  await open("#/task/1/changes")
  await page.getByText("a.txt", { exact: true }).waitFor()
  expect(await buttons()).not.toMatch(/Approve|Reject|Delete|Cancel|Send/)
  expect(await page.getByRole("link", { name: "Homes" }).count()).toBe(0)
  expect(problems).toEqual([])
})

browserTest("a person deletes a task, and its work is saved first [38.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("echo a > a.txt; sleep 1000", "--title", "Goes")
  const worktree = async () => (await fleet.client.show(id)).repos[0]?.worktree
  await waitFor("its file", async () => existsSync(join((await worktree()) ?? "", "a.txt")))
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open(`#/task/${id}`)
  await page.getByRole("button", { name: "Delete" }).click()
  await page.getByRole("button", { name: "Delete it, with its worktree and branch?" }).click()
  await page.getByText("No tasks yet").waitFor()
  expect((await fleet.client.rescues()).rescues).toMatchObject([{ task: id }])
  expect(problems.filter((text) => !text.includes("404"))).toEqual([])
})

browserTest(
  "files are pasted into a message, and the task page shows an image [38.6]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    fleet.step(2, "echo b > b.txt; exit 0")
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await using dashboard = await openDashboard(fleet)
    const { page, problems } = dashboard
    await page.getByRole("link", { name: "First" }).first().click()
    const field = page.getByLabel("A message for its agent")
    await field.fill("See this.")
    await pasteImage(page)
    await page.getByText("With shot.png").waitFor()
    await page.getByRole("button", { name: "Say", exact: true }).click()
    await page.getByText("shot.png (").click()
    const image = page.getByRole("img", { name: "shot.png" })
    await image.waitFor()
    const width = () => page.evaluate("document.querySelector('img.shot').naturalWidth")
    await waitFor("the image", async () => (await width()) === 1)
    expect(problems).toEqual([])
  },
)
