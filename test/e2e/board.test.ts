/**
 * `coppice ls --watch` in a real terminal: the list, the keys, and a terminal that is given back as it
 * was. Python makes the terminal; without it, the tests are skipped under a name that says so.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findProgram } from "../../src/process/find-program.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { TestTerminal } from "../support/terminal.ts"
import { waitFor } from "../support/wait-for.ts"

const hasPython = findProgram("python3", { path: "/usr/bin:/bin", cwd: "/" }) !== undefined
const onTerminal = (name: string) => (hasPython ? name : `${name} (skipped: no python3)`)
const terminalTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(!hasPython)(onTerminal(name), run)

const REVIEWED: FleetConfig = { repo: { gate: false }, sh: { landing: { mode: "approve" } } }
const DOWN = "\x1b[B"
const LS = [process.execPath, LAUNCHER, "ls", "--watch"]

type BoardOptions = {
  readonly command?: readonly string[]
  readonly columns?: number
  readonly rows?: number
}

const board = (fleet: Fleet, { command = LS, ...size }: BoardOptions = {}) =>
  new TestTerminal(command, { cwd: fleet.repo.path, env: fleet.env, ...size })

/** `coppice ls --watch` in a shell, which says its pid, and then how it finds its terminal. */
const IN_SHELL = [
  ...["sh", "-c", 'echo before; sh -c "$0" sh "$@"; echo "code $?"; stty -a; echo at the end'],
  ...['echo "pid $$"; exec "$@"', ...LS],
]

async function expectRestored(terminal: TestTerminal): Promise<void> {
  const lines = await terminal.shows("at the end")
  expect(lines[0]).toBe("before")
  for (const setting of ["icanon", "echo", "isig", "icrnl", "opost"])
    expect(lines.join(" ")).toMatch(new RegExp(` ${setting}\\b`))
  expectLeft(terminal)
}

function expectLeft(terminal: TestTerminal): void {
  const { written, isFilled, hasPasteMarks, wraps } = terminal
  expect(written.lastIndexOf("\x1b[?25h")).toBeGreaterThan(written.lastIndexOf("\x1b[?25l"))
  expect({ isFilled, hasPasteMarks, wraps }).toEqual({
    isFilled: false,
    hasPasteMarks: false,
    wraps: true,
  })
}

terminalTest(
  "a person selects a task, sees size and commit of its work, and approves it [15.19]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await fleet.coppice("run", "echo b > b.txt; echo c > c.txt", "--title", "Second")
    await using terminal = board(fleet)
    await terminal.shows(/needs you \(2\)\n▸ 1 .*First.*\n {2}2 .*Second/)
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

terminalTest("keys answer, reject, say, pause and resume, as the commands do [15.19]", async () => {
  await using fleet = new Fleet(REVIEWED)
  fleet.step(2, 'cat > "$STEPS/prompt"; echo better > a.txt')
  fleet.step(3, "echo best > a.txt")
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
  await fleet.until("1", ({ state, usage }) => state === "in_approval" && usage.turns === 2)
  terminal.press("sThe \x1b[200~third\nturn\x1b[201~\r")
  await fleet.until("1", ({ state, usage }) => state === "in_approval" && usage.turns === 3)
  const { events } = await fleet.client.events({ task: "1" })
  expect(events.find(({ type }) => type === "message.sent")?.data["text"]).toBe("The third turn")

  terminal.press("p")
  await terminal.shows(/▸ 1 .*paused/)
  terminal.press("p")
  await terminal.shows(/▸ 1 .*in_approval/)
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
      /Task 1\n(.*\n)* +state +● working(.*\n)*Task 1 waits: its agent(.*\n)* *at work/,
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
      ["\r", /word/],
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

terminalTest("q and Ctrl-C give the terminal back, wherever they are pressed [15.20]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt")
  for (const keys of ["q", "\x03", "l\x03", "/x\x03", "a\x03"]) {
    await using terminal = board(fleet, { command: IN_SHELL, rows: 50 })
    await terminal.shows(/▸ 1 /)
    const { isFilled, hasPasteMarks, wraps } = terminal
    expect({ isFilled, hasPasteMarks, wraps }).toEqual({
      isFilled: true,
      hasPasteMarks: true,
      wraps: false,
    })
    terminal.press(keys)
    await expectRestored(terminal)
    expect(terminal.written).toContain("code 0")
  }
})

terminalTest("so do SIGTERM and an exception that nothing catches [15.20]", async () => {
  await using fleet = new Fleet(REVIEWED)
  await fleet.coppice("run", "echo a > a.txt")
  const crash = 'process.on("SIGUSR2",()=>{throw new Error("boom")})'
  const node = [process.execPath, "--import", `data:text/javascript,${crash}`, ...LS.slice(1)]
  for (const [signal, said] of [
    ["SIGTERM", "code 0"],
    ["SIGUSR2", "boom"],
  ] as const) {
    const command = [...IN_SHELL.slice(0, -LS.length), ...node]
    await using terminal = board(fleet, { command, rows: 50 })
    await terminal.shows(/▸ 1 /)
    process.kill(Number(/pid (\d+)/.exec(terminal.written)?.[1]), signal)
    await expectRestored(terminal)
    expect(terminal.lines().join("\n")).toContain(said)
  }
})

terminalTest(
  "Ctrl-Z gives the terminal to the shell, and `fg` takes it again [15.20]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt")
    const inner = LS.map((word) => `'${word}'`).join(" ")
    await using terminal = board(fleet, { command: ["sh", "-im"] })
    terminal.press(`${inner}\n`)
    await terminal.shows(/▸ 1 /)
    terminal.press("\x1a")
    await terminal.shows(/Stopped/)
    expectLeft(terminal)
    terminal.press("fg\n")
    await terminal.shows(/▸ 1 /)
    terminal.press("?")
    await terminal.shows("Keys")
    terminal.press("\x03")
    await waitFor("the shell's own screen", () => !terminal.isFilled)
    terminal.press("stty -a; exit\n")
    await terminal.ended()
    expect(terminal.written).toMatch(/ icanon\b/)
    expectLeft(terminal)
  },
)

terminalTest(
  "a daemon that ends is said, and its list goes on when one runs again [15.20]",
  async () => {
    await using fleet = new Fleet(REVIEWED)
    await fleet.coppice("run", "echo a > a.txt", "--title", "First")
    await using terminal = board(fleet)
    await terminal.shows(/▸ 1 .*First/)
    process.kill(await fleet.pid(), "SIGKILL")
    await terminal.shows(/First[^]*The daemon has ended/)
    expect((await fleet.client.status()).running).toBe(false)
    await fleet.coppice("run", "echo b > b.txt", "--title", "Second")
    const lines = await terminal.shows(/Second/)
    expect(lines.join("\n")).not.toContain("has ended")
  },
)

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
