/** The acts of a person on a task in the browser: one daemon, and a page for each test. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const { browserTest, openDashboard } = withBrowser()

/** An agent that plans with the number of its turn, and notes each prompt by task and turn. */
const SH = `
  cat > "$STEPS/prompt-$COPPICE_TASK-$COPPICE_TURN"
  if [ "$COPPICE_PHASE" = planning ]; then echo "Plan $COPPICE_TURN"; exit; fi
  step="$STEPS/$COPPICE_TASK-$COPPICE_TURN"; if [ -e "$step" ]; then exec sh "$step"; fi
  exec sh "$STEPS/prompt-$COPPICE_TASK-1"`
const UNTIL_CANCELLED = "echo at work; sleep 1000"

let fleet: Fleet
let red: string
beforeAll(() => {
  fleet = new Fleet()
  red = join(fleet.steps, "red")
  fleet.configure({
    repo: { gate: `test ! -e r.txt || test ! -e ${red}` },
    sh: { command: SH, landing: { max_handbacks: 0 } },
    limits: { concurrent: 20 },
  })
})
afterAll(() => fleet[Symbol.asyncDispose]())

/** Starts a task, and opens its page. */
async function openTask(title: string, script: string, ...options: string[]) {
  const id = await fleet.start(script, "--title", title, ...options)
  const dashboard = await openDashboard(fleet)
  await dashboard.open(`#/task/${id}`)
  await dashboard.page.getByRole("heading", { level: 1, name: title }).waitFor()
  return { ...dashboard, id, needs: dashboard.page.getByRole("region", { name: "Needs you" }) }
}

const prompt = (id: string, turn: number): string => fleet.noted(`prompt-${id}-${turn}`).join("\n")
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
const waits = (page: Page) => page.getByRole("region", { name: "Waits for" })

browserTest("a person sends a plan back with words, and approves the next one [38.6]", async () => {
  await using task = await openTask("Planned", "echo p > p.txt", "--plan", "approve")
  const { page, needs, id, problems } = task
  await needs.getByText("Plan 1", { exact: true }).waitFor()
  await waits(page).getByText("a person to approve its plan").waitFor()
  await page.getByLabel("Say what to change").fill("Shorter, please.")
  await press(page, "Reject")
  await needs.getByText("Plan 2", { exact: true }).waitFor()
  expect(prompt(id, 2)).toContain("Shorter, please.")
  expect((await fleet.client.show(id)).state).toBe("planning_complete")
  writeFileSync(join(fleet.steps, `${id}-3`), "echo p > p.txt")
  await press(page, "Approve plan")
  await page.getByText("complete", { exact: true }).waitFor()
  expect(prompt(id, 3)).toContain("approved your plan")
  expect(fleet.repo.git("show", "main:p.txt")).toBe("p")
  expect(problems).toEqual([])
})

browserTest("a person accepts one proposed task and declines another [38.6]", async () => {
  const propose = `
    coppice agent propose_task "Good idea" "echo good > good.txt"
    coppice agent propose_task "Bad idea" "echo bad > bad.txt"; sleep 1000`
  await using task = await openTask("Proposes", propose)
  const { page, needs, id, problems } = task
  const proposal = (title: string) => needs.locator(".question").filter({ hasText: title })
  await proposal("Bad idea").getByRole("button", { name: "Decline" }).click()
  await proposal("Bad idea").waitFor({ state: "detached" })
  expect(await proposal("Good idea").textContent()).toBe(
    "It proposes another taskGood ideaecho good > good.txtAcceptDecline",
  )
  await press(page, "Accept")
  const family = page.getByRole("region", { name: "Sub-tasks" })
  await family.getByRole("link", { name: "Good idea" }).waitFor()
  const { tasks } = await fleet.client.listLines()
  expect(tasks.filter(({ parent }) => parent === id)).toMatchObject([{ title: "Good idea" }])
  expect(problems).toEqual([])
})

browserTest("a person lands again what did not land [38.6]", async () => {
  writeFileSync(red, "")
  await using task = await openTask("Red", "echo r > r.txt")
  const { page, needs, problems } = task
  await needs.getByText(/^the gate .* exited with 1$/).waitFor()
  await waits(page).getByText("a person: the gate").waitFor()
  await page
    .getByRole("region", { name: "Facts" })
    .getByText(/\d+: failed/)
    .waitFor()
  rmSync(red)
  await press(page, "Land again")
  await page.getByText("complete", { exact: true }).waitFor()
  expect(fleet.repo.git("show", "main:r.txt")).toBe("r")
  expect(problems).toEqual([])
})

browserTest("a person pauses a task, resumes it, and cancels it [38.6]", async () => {
  await using task = await openTask("Paused", UNTIL_CANCELLED)
  const { page, id, problems } = task
  const state = (words: string) => page.locator(".task > .facts .state").getByText(words)
  await waits(page).getByText("its agent, which has turn 1").waitFor()
  await press(page, "Pause")
  await state("paused").waitFor()
  await waits(page).getByText("coppice resume").waitFor()
  await waitFor("no process", async () => (await fleet.client.facts(id)).processes.length === 0)
  await page.reload()
  await press(page, "Resume")
  await state("working").waitFor()
  await waitFor("its agent", async () => (await fleet.client.facts(id)).processes.length > 0)
  await press(page, "Cancel")
  await press(page, "Give it up?")
  await state("cancelled").waitFor()
  await waitFor("its end", async () => (await fleet.client.facts(id)).processes.length === 0)
  expect(problems).toEqual([])
})

browserTest("files are dropped on a message, and can be removed again [38.6]", async () => {
  await using task = await openTask("Dropped on", UNTIL_CANCELLED)
  const { page, id, problems } = task
  const field = page.getByLabel("A message for its agent")
  await field.fill("Read this.")
  const drop = (name: string) =>
    page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["words"], ${JSON.stringify(name)}))
      const drop = { dataTransfer, bubbles: true, cancelable: true }
      document.activeElement.dispatchEvent(new DragEvent("drop", drop))
    }`)
  await drop("wrong.txt")
  await page.getByText("With wrong.txt").waitFor()
  await press(page, "Remove files")
  await drop("notes.txt")
  await page.getByText("With notes.txt").waitFor()
  // The program of `command` takes no messages while it runs: a person reads why, and nothing is lost.
  await press(page, "Say now")
  await page.getByRole("alert").getByText("a run takes no messages").waitFor()
  await press(page, "Say")
  await page.getByText("With notes.txt").waitFor({ state: "detached" })
  await page.getByText("notes.txt (5 B, person)").waitFor()
  const { files } = await fleet.client.files(id)
  expect(files.map(({ name }) => name)).toEqual(["notes.txt"])

  // A refused file says why. When it is opened again, it is read again.
  const error = { code: "file.gone", message: "The file is gone.", hints: [] }
  const summary = page.getByText("notes.txt (5 B, person)")
  await page
    .context()
    .route("**/files/*", (route) => route.fulfill({ status: 404, json: { error } }))
  await summary.click()
  await page.locator("details .error").getByText("The file is gone.").waitFor()
  await summary.click()
  await page.context().unroute("**/files/*")
  await summary.click()
  await page.getByRole("link", { name: "Save notes.txt" }).waitFor()
  expect(problems.filter((text) => !/40[49]/.test(text))).toEqual([])
})

browserTest(
  "the page offers what the daemon says, whatever it knows of the state [15.25]",
  async () => {
    await using task = await openTask("Offered", "exit 3")
    const { page, needs, id } = task
    const named = (name: string) => page.getByRole("button", { name, exact: true })
    await needs.getByRole("button", { name: "Restart" }).waitFor()
    for (const name of ["Pause", "Cancel", "Delete"]) await named(name).waitFor()
    await page.context().route(/\/(task-lines|tasks\/\d+)(\?.*)?$/, async (route) => {
      const answer = await route.fetch()
      const document = await answer.json()
      for (const one of document.tasks ?? [document]) one.can = ["cancel"]
      await route.fulfill({ response: answer, json: document })
    })
    await page.reload()
    await named("Cancel").waitFor()
    await needs.getByText("exit", { exact: false }).first().waitFor()
    for (const name of ["Restart", "Pause", "Delete"]) expect(await named(name).count()).toBe(0)
    expect((await fleet.client.show(id)).can).toContain("restart")
  },
)
