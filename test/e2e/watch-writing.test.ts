/** A terminal shows the message that an agent is writing. */
import { join } from "node:path"
import { expect } from "vitest"
import { board, terminalTest } from "../support/board.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"

const ACP_AGENT = join(import.meta.dirname, "../support/acp-agent.ts")

terminalTest(
  "run, watch and logs -f show a message while it is written, on one line, and once when it is whole [12.27]",
  async () => {
    await using fleet = new Fleet()
    const command = [process.execPath, ACP_AGENT]
    const writer = { runtime: "acp", command, env: { HOME: fleet.steps } }
    fleet.configure({ repo: { gate: false }, agents: { writer } })
    const prompt = `WRITE The first piece \u202e${"x".repeat(150)} |  and a second |  and the end`
    const coppice = [process.execPath, LAUNCHER]
    const run = [...coppice, "run", prompt, "--agent", "writer", "--title", "Write"]
    await using running = board(fleet, { command: run, rows: 40 })
    await running.shows("working")
    fleet.noted("0")
    const lines = await running.shows(/…x+$/m)
    expect(lines.filter((line) => /^ {9}…x{99}$/.test(line))).toHaveLength(1)
    await using following = board(fleet, { command: [...coppice, "logs", "1", "-f"], rows: 40 })
    const piped = fleet.coppice("logs", "1", "-f")
    await following.shows(/^ {9}…x+$/m)
    fleet.noted("1")
    await running.shows("x and a second")
    fleet.noted("2")
    expect(await running.ended()).toBe(0)
    expect(await following.ended()).toBe(0)
    for (const terminal of [running, following]) {
      const said = (await terminal.shows("and the end")).join("")
      expect(said).toMatch(/The first piece x{150} and a second and the end/)
      expect(said).not.toContain("…x")
      expect(terminal.wraps).toBe(true)
      expect(terminal.written).not.toContain("\u202e")
    }
    const { stdout } = await piped
    expect(stdout).toMatch(/^The first piece x{150} and a second and the end\n$/)
  },
)
