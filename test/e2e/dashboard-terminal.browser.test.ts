/** Terminals in the dashboard: a real shell, a real pseudo terminal, a real browser. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const { browserTest, openDashboard } = withBrowser()
const AT_WORK = 'echo work > a.txt; until [ -e "$STEPS/go" ]; do sleep 0.05; done'
const isGone = (pid: number) => () => readIdentity(pid) === undefined

/** A task with a worktree whose agent works until `go` is noted, and its worktree. */
async function atWork(config: ConstructorParameters<typeof Fleet>[0] = { repo: { gate: false } }) {
  const fleet = new Fleet(config)
  fleet.extra["SHELL"] = "/bin/sh"
  fleet.extra["ENV"] = ""
  const id = await fleet.start(AT_WORK, "--title", "At work")
  const task = await fleet.until(id, ({ repos }) => Boolean(repos[0]?.worktree))
  const worktree = task.repos[0]!.worktree!
  await waitFor("its work", () => existsSync(join(worktree, "a.txt")))
  return { fleet, worktree, [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose]() }
}

class Screen {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async open(): Promise<this> {
    await this.page.getByRole("button", { name: "New terminal" }).click()
    await this.ready()
    return this
  }

  async ready(): Promise<void> {
    await this.page.getByText("Shift+F6 leaves").waitFor()
    await this.shows(/[$#] ?$/)
  }

  async type(text: string): Promise<void> {
    await this.page.locator(".xterm-helper-textarea").focus()
    await this.page.keyboard.type(text)
  }

  rows(): Promise<number> {
    return this.page.locator(".xterm-rows > div").count()
  }

  text(): Promise<string> {
    return this.page.locator(".xterm-rows > div").evaluateAll((rows) =>
      rows
        .map(({ textContent }) => (textContent ?? "").replaceAll("\u00a0", " ").trimEnd())
        .join("\n")
        .trimEnd(),
    )
  }

  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    let last = ""
    const look = async () => {
      last = await this.text()
      return wanted.exec(last) ?? false
    }
    return await waitFor(`${wanted} on the screen`, look).catch((cause: unknown) => {
      throw new Error(`the screen has\n${last}`, { cause })
    })
  }
}

browserTest(
  "a person types a command in the worktree of a task, and sees its output [38.33]",
  async () => {
    await using work = await atWork()
    const { fleet, worktree } = work
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/terminal")
    const screen = await new Screen(page).open()
    const names = ["COPPICE_TASK", "COPPICE_TOKEN", "COPPICE_PROCESS", "STEPS"]
    const values = names.map((name) => `\${${name}:-none}`).join(" ")
    await screen.type(`pwd; cat a.txt; echo $((40 + 2)) ${values}\n`)
    await screen.shows(new RegExp(`^${worktree}\nwork\n42 none none none none$`, "m"))
    await screen.type("echo first $(stty size)\n")
    const [, rows] = await screen.shows(/^first (\d+) \d+$/m)
    await page.setViewportSize({ width: 700, height: 500 })
    await waitFor("a smaller screen", async () => (await screen.rows()) < Number(rows))
    await screen.type("echo then $(stty size)\n")
    const [, rowsNow, columnsNow] = await screen.shows(/^then (\d+) (\d+)$/m)
    expect(Number(rowsNow)).toBeLessThan(Number(rows))
    expect(Number(columnsNow)).toBeLessThan(100)
    expect(await fleet.client.show("1")).toMatchObject({ state: "working", usage: { turns: 0 } })
    const { processes } = await fleet.client.facts("1")
    expect(processes.map(({ purpose }) => purpose).sort()).toEqual(["agent", "terminal"])
    expect(problems).toEqual([])
  },
)

browserTest(
  "a terminal outlives a reload of its page, with its output, and no close of it [38.34]",
  async () => {
    await using work = await atWork()
    await using dashboard = await openDashboard(work.fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/terminal")
    const screen = await new Screen(page).open()
    await screen.type("NAME=kept; sleep 1000 & echo pids $$ $!\n")
    const [, shell, child] = await screen.shows(/^pids (\d+) (\d+)$/m)
    await page.reload()
    await screen.ready()
    await screen.shows(new RegExp(`^pids ${shell} ${child}$`, "m"))
    await screen.type("echo $NAME-$((1 + 1))\n")
    await screen.shows(/^kept-2$/m)
    await open("#/task/1/changes")
    await page.getByText("a.txt", { exact: true }).waitFor()
    await open("#/task/1/terminal")
    await screen.shows(/^kept-2$/m)
    expect(problems).toEqual([])
    await page.close()
    await waitFor("the shell's end", isGone(Number(shell)))
    await waitFor("its child's end", isGone(Number(child)))
    await waitFor("the end of its record", async () => {
      const { processes } = await work.fleet.client.facts("1")
      return processes.map(({ purpose }) => purpose).join() === "agent"
    })
  },
)

browserTest(
  "a reload keeps the terminals that are not shown, and `End` holds without a connection [38.34]",
  async () => {
    await using work = await atWork()
    await using dashboard = await openDashboard(work.fleet)
    const { page, open } = dashboard
    await open("#/task/1/terminal")
    const screen = await new Screen(page).open()
    await screen.type("NAME=first; echo is $NAME\n")
    await screen.shows(/^is first$/m)
    await screen.open()
    await screen.type("NAME=second; echo is $NAME\n")
    await screen.shows(/^is second$/m)
    await page.reload()
    await screen.ready()
    await new Promise((resolve) => setTimeout(resolve, 11_500)) // longer than it waits for a page
    await page.getByRole("button", { name: "Terminal 1" }).click()
    await screen.shows(/^is first$/m)
    await screen.type("echo still $NAME\n")
    await screen.shows(/^still first$/m)
    const path = /tasks\/1\/terminal\?/
    await page.route(path, (route) => route.abort())
    await page.reload()
    await page.getByText("Not connected").waitFor()
    await page.getByRole("button", { name: "End" }).click()
    await page.getByRole("button", { name: "Close" }).waitFor()
    await page.unroute(path)
    await new Promise((resolve) => setTimeout(resolve, 2_500)) // longer than it waits to connect
    expect(await page.getByRole("button", { name: "Close" }).count()).toBe(1)
  },
)

browserTest(
  "a reload keeps the size of a terminal that is not shown, and one that is closed frees its screen [38.33, 38.34]",
  async () => {
    await using work = await atWork()
    await using dashboard = await openDashboard(work.fleet)
    const { page, open, problems } = dashboard
    const screens = () => page.evaluate("document.adoptedStyleSheets.length")
    await open("#/task/1/terminal")
    const screen = await new Screen(page).open()
    await screen.type("tty > ../first; echo first $(stty size)\n")
    const [, size] = await screen.shows(/^first (\d+ \d+)$/m)
    expect(size).not.toBe("24 80")
    const ofOne = await screens()
    await screen.open()
    const again = new Set<unknown>()
    page.on("websocket", (socket) => {
      if (socket.url().includes("terminal?")) socket.on("framereceived", () => again.add(socket))
    })
    await page.reload()
    await screen.ready()
    await waitFor("both terminals", () => again.size === 2)
    await screen.type("echo hidden $(stty size -F $(cat ../first))\n")
    const [, hidden] = await screen.shows(/^hidden (\d+ \d+)$/m)
    expect(hidden).toBe(size)

    await page.getByRole("button", { name: "End" }).click()
    await page.getByRole("button", { name: "Close" }).click()
    await screen.ready() // the other one
    await expect.poll(screens).toBe(ofOne)
    await page.getByRole("button", { name: "End" }).click()
    await page.getByText("You ended it.").waitFor()
    await open("#/task/1/changes")
    await page.getByText("a.txt", { exact: true }).waitFor()
    await expect.poll(screens).toBe(ofOne)
    await open("#/")
    await page.getByRole("region", { name: "Working 1" }).waitFor()
    await expect.poll(screens).toBeLessThan(Number(ofOne))
    await open("#/task/1/terminal")
    await page.getByText("A terminal is a shell of yours").waitFor()
    expect(problems).toEqual([])
  },
)

browserTest(
  "a terminal and what runs in it end with the daemon, however that ends [38.34]",
  async () => {
    await using work = await atWork()
    const { fleet } = work
    await using dashboard = await openDashboard(fleet)
    const { page, open } = dashboard
    await open("#/task/1/terminal")
    for (const how of ["down", "SIGKILL"]) {
      const screen = await new Screen(page).open()
      await screen.type("sh -c 'echo pids $PPID $$; exec sleep 1000'\n")
      const [, shell, child] = await screen.shows(/^pids (\d+) (\d+)$/m)
      if (how === "down") await fleet.coppice("down")
      else process.kill(await fleet.pid(), how)
      await waitFor("the shell's end", isGone(Number(shell)))
      await waitFor("its child's end", isGone(Number(child)))
      await fleet.coppice("up", "-d")
      await page.getByRole("status").getByText("Live", { exact: true }).waitFor()
      await page.getByText(/has ended/).waitFor()
      await page.getByRole("button", { name: "Close" }).click()
    }
  },
)

browserTest(
  "a landing says what it does under a terminal, and ends it before the worktree goes [38.35]",
  async () => {
    await using work = await atWork({
      repo: { gate: 'until [ -e "../../steps-of-gate" ]; do sleep 0.05; done' },
    })
    const { fleet, worktree } = work
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/terminal")
    const screen = await new Screen(page).open()
    await screen.type("echo pids $$\n")
    const [, shell] = await screen.shows(/^pids (\d+)$/m)
    fleet.noted("go")
    await page.getByText(/The task is landing\. Its landing may change the files here/).waitFor()
    await waitFor("the gate", async () => /gating/.test(JSON.stringify(await fleet.client.queue())))
    await screen.type("echo late > README.md; echo written\n")
    await screen.shows(/^written$/m)
    writeFileSync(join(worktree, "../../steps-of-gate"), "")
    await page.getByText("The work has landed, and its worktree goes.").waitFor()
    await fleet.until("1")
    await waitFor("the shell's end", isGone(Number(shell)))
    await waitFor("the worktree's end", () => !existsSync(worktree))
    expect(fleet.repo.git("show", "main:a.txt")).toBe("work")
    const { rescues } = await fleet.client.rescues()
    expect(rescues.map(({ ref }) => fleet.repo.git("show", `${ref}:README.md`))).toEqual(["late"])
    await page.getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: "New terminal" }).click()
    await page.getByText("No terminal of task 1 opens: it has no worktree now.").waitFor()
    expect(problems.filter((text) => !/40\d/.test(text))).toEqual([])
  },
)

browserTest("Attach types the person's own command in a terminal [15.26, 38.36]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false },
    agents: { claude: { runtime: "claude" } },
  })
  const program = join(fleet.home.path, "claude")
  const talk = 'echo "talk in $(pwd)"; read -r words; echo "heard $words"'
  writeFileSync(program, `#!/bin/sh\n[ "$1" = --resume ] || exit 3\n${talk}\n`, { mode: 0o755 })
  Object.assign(fleet.extra, { COPPICE_CLAUDE: program, SHELL: "/bin/sh" })
  const task = await fleet.json(TaskDocument, ["run", "Say hello.", "--agent", "claude"], 1)
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/task/1/terminal")
  await page.getByRole("button", { name: "Attach" }).click()
  const screen = new Screen(page)
  await screen.shows(/coppice attach 1$/m)
  await screen.shows(new RegExp(`^talk in ${task.repos[0]?.worktree}$`, "m"))
  expect((await fleet.client.why("1")).waitingFor).toContain("conversation")
  const cancel = page.getByRole("button", { name: "Cancel" })
  await cancel.waitFor({ state: "detached" })
  await screen.type("these words\n")
  await screen.shows(/^heard these words$/m)
  await waitFor("the end of the conversation", async () => {
    const { waitingFor } = await fleet.client.why("1")
    return !waitingFor?.includes("conversation")
  })
  await cancel.waitFor()
  expect(await fleet.client.show("1")).toMatchObject({ state: "stuck", usage: task.usage })
  expect(problems).toEqual([])
})

browserTest("the output of a program stays in its terminal [38.37]", async () => {
  await using work = await atWork()
  const { fleet, worktree } = work
  await using dashboard = await openDashboard(fleet)
  const { page, open, problems } = dashboard
  await open("#/task/1/terminal")
  const screen = await new Screen(page).open()
  const title = await page.title()
  const [esc, bell] = ["\u001b", "\u0007"]
  const hostile = [
    `${esc}]0;owned${bell}${esc}]2;owned${bell}`,
    `${esc}]52;c;${Buffer.from("stolen").toString("base64")}${bell}`,
    `${esc}]8;;javascript:document.title='owned'${bell}LINK${esc}]8;;${bell}`,
    `${esc}]8;;https://evil.example/${bell}SITE${esc}]8;;${bell}`,
    `${esc}[21t${esc}[8;5;5t${esc}[3;0;0t${esc}P$q"p${esc}\\${esc}]10;?${bell}`,
    `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`,
    `${esc}[38;2;120;200;255mBLUE${esc}[0m ${esc}]1337;File=inline=1:AAAA${bell}`,
    `\nEND-OF-IT\n`,
  ].join("")
  writeFileSync(join(worktree, "../hostile"), hostile)
  await screen.type("cat ../hostile\n")
  await screen.shows(/^END-OF-IT$/m)
  expect(await screen.text()).toContain("<img src=x onerror=")
  for (const word of ["LINK", "SITE"])
    await page.locator(".xterm-rows span").getByText(word).first().click({ force: true })
  // The terminal draws its rows again after a click. A row that was taken away has no colour.
  const colour = () =>
    page
      .locator(".xterm-rows span")
      .getByText("BLUE", { exact: true })
      .evaluate((element) => {
        type Styled = { getComputedStyle(of: unknown): { color: string } }
        return (globalThis as unknown as Styled).getComputedStyle(element).color
      })
  await expect.poll(colour).toBe("rgb(120, 200, 255)")
  await page.keyboard.press("Control+c") // the terminal has answered what it was asked, as any does
  await screen.type("echo alive-$((1 + 1))\n")
  await screen.shows(/^alive-2$/m)
  expect(await page.title()).toBe(title)
  expect(page.context().pages()).toHaveLength(1)
  expect(problems).toEqual([])
})

browserTest(
  "a page with a terminal breaks no rule of accessibility, and the keyboard leads in and out [38.8]",
  async () => {
    await using work = await atWork()
    await using dashboard = await openDashboard(work.fleet)
    const { page, open, problems } = dashboard
    await open("#/task/1/terminal")
    await page.getByRole("button", { name: "New terminal" }).waitFor()
    await expectAccessible(dashboard)
    const screen = await new Screen(page).open()
    await screen.type("ls --color=always /; printf '\\033[34mblue\\033[0m\\n'\n")
    await screen.shows(/^blue$/m)
    await expectAccessible(dashboard)
    await screen.type("cat > /dev/null\n")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    const focused = () =>
      page.evaluate("document.activeElement.className + document.activeElement.textContent")
    await expect.poll(focused).toContain("xterm-helper-textarea")
    await page.keyboard.press("Shift+F6")
    await expect.poll(focused).toBe("End")
    await page.keyboard.press("Enter")
    await page.getByText("You ended it.").waitFor()
    expect(problems).toEqual([])
  },
)
