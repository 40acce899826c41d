/** `coppice ls --watch` gives its terminal back as it was. */
import { expect } from "vitest"
import { board, LS, REVIEWED, terminalTest } from "../support/board.ts"
import { Fleet } from "../support/fleet.ts"
import type { TestTerminal } from "../support/terminal.ts"
import { waitFor } from "../support/wait-for.ts"

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
    await fleet.kill()
    await terminal.shows(/First[^]*The daemon has ended/)
    expect((await fleet.client.status()).running).toBe(false)
    await fleet.coppice("run", "echo b > b.txt", "--title", "Second")
    const lines = await terminal.shows(/Second/)
    expect(lines.join("\n")).not.toContain("has ended")
  },
)
