/** `coppice ls --watch` on a terminal: the list and its keys. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { board, LS, REVIEWED, terminalTest } from "../support/board.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const DOWN = "\x1b[B"

terminalTest(
  "a person selects a task, sees size and commit of its work, and approves it [15.19]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await fleet.coppice("run", "echo b > b.txt; echo c > c.txt", "--title", "Second")
    await using terminal = board(fleet)
    await terminal.shows(
      /needs you \(2\)\n▸ 1 .*First +to approve: 1 file, \+1 -0\n {2}2 .*Second +to approve: 2 files, \+2 -0/,
    )
    terminal.press(DOWN)
    await terminal.shows(/▸ 2 .*Second/)
    terminal.press("a")
    const { head } = (await fleet.client.show("2")).repos[0]!
    const lines = await terminal.shows(/\[y\/N\]/)
    expect(lines.join("\n")).toMatch(/A +b\.txt +\+1 -0\nA +c\.txt +\+1 -0/)
    expect(lines.join("\n")).toContain(
      `Approve ${head!.slice(0, 12)} on ${fleet.repo.tip("main").slice(0, 12)}`,
    )
    terminal.press("n")
    terminal.press("q")
    await terminal.shows(/needs you \(2\)/)
    expect((await fleet.client.show("2")).state).toBe("in_approval")

    terminal.press("a")
    await terminal.shows(/\[y\/N\]/)
    terminal.press("y")
    expect(await fleet.until("2", ({ state }) => state === "complete")).toMatchObject({
      state: "complete",
      landing: { outcome: "LANDED" },
    })
    await terminal.shows(/needs you \(1\)\n(.*\n)* *done \(1\)\n▸ 2 /)
    expect((await fleet.client.show("1")).state).toBe("in_approval")
  },
)

terminalTest(
  "a commit that was added since is not approved, and a pasted text presses no key [15.19]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt")
    await using terminal = board(fleet)
    await terminal.shows(/▸ 1 /)
    terminal.press("\x1b[200~ay\x1b[201~")
    terminal.press("a")
    await terminal.shows(/\[y\/N\]/)
    const { head, worktree } = (await fleet.client.show("1")).repos[0]!
    writeFileSync(join(worktree!, "late.txt"), "late")
    await fleet.coppice("approve", "-d", "1")
    await fleet.until("1", ({ state, repos }) => state === "in_approval" && repos[0]?.head !== head)
    terminal.press("y")
    await terminal.shows(/in review, not [0-9a-f]+/)
    expect((await fleet.client.show("1")).state).toBe("in_approval")
  },
)

terminalTest("a yes to a plan approves no work that came of it since [15.19]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, "echo a > a.txt")
  await fleet.start("echo Plan A", "--plan", "approve")
  await fleet.until("1", ({ state }) => state === "planning_complete")
  await using terminal = board(fleet)
  await terminal.shows(/▸ 1 /)
  terminal.press("a")
  await terminal.shows(/Approve this plan\? \[y\/N\]/)
  await fleet.coppice("approve", "-d", "1")
  await fleet.until("1", ({ state }) => state === "in_approval")
  terminal.press("y")
  await terminal.shows(/has no plan to approve now/)
  expect((await fleet.client.show("1")).state).toBe("in_approval")
})

terminalTest("a yes approves nothing before the end of it was on the screen [36.6]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, "echo a > a.txt")
  await fleet.start("echo $(seq 1000)", "--plan", "approve")
  await fleet.until("1", ({ state }) => state === "planning_complete")
  await using terminal = board(fleet, { rows: 20 })
  await terminal.shows(/▸ 1 /)
  terminal.press("a")
  await terminal.shows(/to approve \(\d+ more rows: Page Down\)[^]*Approve this plan\?/)
  terminal.press("y")
  await terminal.shows(/Nothing was done: Page Down shows the rest of it first/)
  terminal.press("a")
  await terminal.shows(/Approve this plan\?/)
  for (let pages = 0; pages < 10; pages++) terminal.press("\x1b[6~")
  await terminal.shows(/ 999 1000[^]*Approve this plan\?/)
  terminal.press("y")
  await fleet.until("1", ({ state }) => state === "in_approval")
})

terminalTest("keys answer, reject, say, pause and resume, as the commands do [15.19]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, 'cat > "$STEPS/prompt"; echo better > b.txt')
  fleet.step(3, "echo best > c.txt")
  const prompt =
    'coppice agent ask "Which colour?" --choice red --choice blue > "$STEPS/answer"; echo a > a.txt'
  await fleet.start(prompt)
  await fleet.event(({ type }) => type === "question.asked")
  await using terminal = board(fleet)
  await terminal.shows(/▸ 1 .*asks: Which colour/)
  terminal.press("\r")
  await terminal.shows(
    /Question \d+: Which colour\?\n +1\. red\n +2\. blue[^]*Answer \(a number or a text\):/,
  )
  terminal.press("2\r")
  await fleet.until("1", ({ state }) => state === "in_approval")
  expect(readFileSync(join(fleet.steps, "answer"), "utf8")).toContain("blue")

  terminal.press("q")
  await terminal.shows(/▸ 1 .*in_approval/)
  terminal.press("rMake it bettr\x7fer.\r")
  await waitFor("the second turn", () =>
    fleet.noted("prompt").join("\n").includes("Make it better."),
  )
  await terminal.shows(/▸ 1 .*to approve: 2 files/)
  terminal.press("sThe \x1b[200~third\nturn\x1b[201~\r")
  await terminal.shows(/▸ 1 .*to approve: 3 files/)
  const { events } = await fleet.client.events({ task: "1" })
  expect(events.find(({ type }) => type === "message.sent")?.data["text"]).toBe("The third turn")

  terminal.press("p")
  await terminal.shows(/▸ 1 .*paused/)
  terminal.press("p")
  await terminal.shows(/▸ 1 .*in_approval/)
})

terminalTest(
  "a key that the state does not allow asks for nothing, and says what is possible [15.23]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    fleet.step(2, "exit 3")
    fleet.step(3, 'cat > "$STEPS/prompt"')
    await fleet.coppice("run", "echo a > a.txt")
    await using terminal = board(fleet, { columns: 60 })
    await terminal.shows(/▸ 1 .*complete/)
    terminal.press("r")
    await terminal.shows(/`reject` is not possible\. Possible now: \nresume, delete\./)
    terminal.press("\x1b")
    await waitFor("the list alone", () => !terminal.lines().join().includes("not possible"))
    expect(terminal.isFilled, "Escape does not quit").toBe(true)
    terminal.press("sMore\r")
    await fleet.until("1", ({ state }) => state === "stuck")
    await terminal.shows(/▸ 1 .*stuck/)
    terminal.press("s")
    await terminal.shows(/Restart, with or without a message \(task 1\): *\n/)
    terminal.press("Again\r")
    await waitFor("the third turn", () => fleet.noted("prompt").join("\n").includes("Again"))
  },
)

terminalTest("a refusal is shown, and the text that was typed stays [15.23]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt")
  await using terminal = board(fleet)
  await terminal.shows(/▸ 1 .*in_approval/)
  terminal.press("rNot like this")
  await terminal.shows(/Changes \(task 1\): Not like this/)
  await fleet.coppice("approve", "1")
  terminal.press("\r")
  await terminal.shows(/cannot be rejected[^]*\nChanges \(task 1\): Not like this/)
})

terminalTest("two rows and twelve columns still show the selected task [15.19]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt")
  await using terminal = board(fleet, { columns: 12, rows: 2 })
  await terminal.shows(/^▸ 1 /)
  terminal.press("r木木木木木木木z")
  await terminal.shows(/\n木木木木木z ?$/)
  terminal.resize(12, 3)
  await terminal.shows(/▸ 1 .*\n木木木木木z ?$/)
})

terminalTest(
  "it opens a task, follows its log, and shows a short diff itself and a long one in the pager [15.19]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    fleet.extra["PAGER"] = "cat > $HOME/paged; read key < /dev/tty"
    await fleet.start(
      'echo "at work"; until [ -e "$STEPS/go" ]; do sleep 0.05; done; echo "woken"; seq 1 5 > a.txt',
    )
    await using terminal = board(fleet)
    await terminal.shows(/▸ 1 .*working/)
    terminal.press("\r")
    await terminal.shows(
      /Task 1\n(.*\n)* +state +● working(.*\n)*Task 1 waits for its agent(.*\n)* *at work/,
    )
    terminal.press("l")
    await terminal.shows(/Task 1: log\n(.*\n)* *at work/)
    fleet.noted("go")
    await terminal.shows(/at work\n *woken/)
    await fleet.until("1", ({ state }) => state === "in_approval")
    terminal.press("d")
    await terminal.shows(/Task 1: changes\n(.*\n)*\+5/)
    const { worktree } = (await fleet.client.show("1")).repos[0]!
    writeFileSync(join(worktree!, "a.txt"), "long\n".repeat(99))
    terminal.press("d")
    await waitFor("the pager", () => !terminal.isFilled)
    terminal.press("\n")
    await terminal.shows(/Task 1: changes/)
    expect(terminal.isFilled).toBe(true)
    const paged = readFileSync(join(fleet.home.path, "paged"), "utf8")
    expect(paged.match(/\+long/g)).toHaveLength(99)
    expect(paged).toContain("\x1b[32m+long")
  },
)

terminalTest(
  "a hostile title, word and file name draw nothing, and 40 columns hold every line [36.1]",
  async () => {
    await using fleet = new Fleet({
      ...REVIEWED,
      sh: {
        landing: { mode: "approve" },
        env: { NASTY: "\x1b[2J\x1b]0;owned\x07\x1b[?1049l\x9b31m" },
      },
    })
    const title = `${"\u{1f332}".repeat(9)} \u202eevil\u2066 ${"木".repeat(30)}`
    await fleet.start(
      'coppice agent progress "does$NASTY"; printf "%s\\n" "word$NASTY"; echo x > "a$NASTY"',
      "--title",
      title,
    )
    await fleet.until("1", ({ state }) => state === "in_approval")
    await using terminal = board(fleet, { columns: 40, rows: 10 })
    await terminal.shows(/▸ 1 .*in_approv/)
    for (const [key, wanted] of [
      ["\r", /^Task 1 \(\d+ more rows: Page Down\)\n/],
      ["l", /log/],
      ["d", /changes/],
      ["a", /y\/N/],
      ["n", /approve/],
    ] as const) {
      terminal.press(key)
      await terminal.shows(wanted)
    }
    terminal.press("q")
    await terminal.shows(/▸ 1 /)
    terminal.resize(60, 12)
    const lines = await terminal.shows(/quit.*approve.*reject/)
    expect(lines.filter((line) => line.includes("▸ 1"))).toHaveLength(1)
    expect(lines.at(-1)).toMatch(/^\? help {2}q quit/)
    expect(terminal.isFilled).toBe(true)
    expect(terminal.written).not.toMatch(/\x1b\]|\x1b\[2J|[\x80-\x9f\u202e\u2066]/)
  },
)

terminalTest("the list is filtered by a text, and the help names every key [15.19]", async () => {
  await using fleet = new Fleet(REVIEWED)
  for (const title of ["Red", "Blue"])
    await fleet.coppice("run", "echo a > a.txt", "--title", title)
  await using terminal = board(fleet)
  await terminal.shows(/Red[^]*Blue/)
  terminal.press("/bl")
  await terminal.shows(/needs you \(1\)\n▸ 2 .*Blue/)
  terminal.press("\r?")
  const help = (await terminal.shows(/Keys/)).join("\n")
  for (const command of [
    "show",
    "why",
    "logs",
    "answer",
    "approve --head",
    "reject",
    "say",
    "diff",
    "pause",
    "resume",
  ])
    expect(help).toContain(`\`${command}\``)
  terminal.press("q")
  await terminal.shows(/only tasks with "bl"/)
  terminal.press("/bl")
  await terminal.shows(/bl\b[^]*\n.*help/)
  terminal.press("\x1b") // alone: at the beginning of a sequence, it would be another key
  await terminal.shows(/needs you \(2\)/)
  terminal.press("?")
  await terminal.shows(/^Keys/)
  terminal.press("\x1b")
  await terminal.shows(/needs you \(2\)/)
})

terminalTest(
  "the bell rings once for each new thing that needs a person, and only on request [15.19]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt")
    await using quiet = board(fleet)
    await using terminal = board(fleet, { command: [...LS.slice(0, -1), "--bell"] })
    for (const one of [quiet, terminal]) await one.shows(/needs you \(1\)/)
    expect(terminal.written).not.toContain("\x07")
    await fleet.coppice("run", "echo b > b.txt")
    for (const one of [quiet, terminal]) await one.shows(/needs you \(2\)/)
    await fleet.coppice("say", "-d", "2", "once more")
    await terminal.shows(/done|needs you/)
    expect(terminal.written.match(/\x07/g)).toHaveLength(1)
    expect(quiet.written).not.toContain("\x07")
  },
)
