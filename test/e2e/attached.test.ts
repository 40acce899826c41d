/** A person has the conversation of a task open: nothing offers to resume it. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { board, terminalTest } from "../support/board.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const CAN = ["resume", "cancel", "delete"]

terminalTest(
  "list, document, `why` and board offer no `resume` while a person is attached, and do so again afterwards [15.26]",
  async () => {
    await using fleet = new Fleet({
      repo: { gate: false },
      agents: { claude: { runtime: "claude" } },
    })
    const gate = join(fleet.steps, "gate")
    execFileSync("mkfifo", [gate])
    const program = join(fleet.home.path, "claude")
    const talk = `[ "$1" = --resume ] || exit 3\necho here >> "${fleet.steps}/attached"; cat "${gate}"\n`
    writeFileSync(program, `#!/bin/sh\n${talk}`, { mode: 0o755 })
    fleet.extra["COPPICE_CLAUDE"] = program
    await fleet.coppice("run", "Say hello.", "--agent", "claude")
    await fleet.coppice("pause", "1")
    await using terminal = board(fleet)
    await terminal.shows(/▸ 1 .*paused/)
    const look = async () => {
      const { tasks } = await fleet.client.listLines({})
      const { unblock } = await fleet.client.why("1")
      const { can } = await fleet.client.show("1")
      return { can, listed: tasks[0]?.can, offers: unblock?.includes("coppice resume") }
    }
    expect(await look()).toEqual({ can: CAN, listed: CAN, offers: true })

    const attaching = fleet.coppice("attach", "1")
    await waitFor("the program", () => fleet.noted("attached").length > 0)
    expect(await look()).toEqual({ can: [], listed: [], offers: false })
    // The board reads its list every second; before that, the daemon refuses.
    await waitFor("the board to know", () => {
      terminal.press("p")
      return terminal.lines().join("\n").includes("Nothing is possible until")
    })
    expect((await fleet.client.show("1")).state).toBe("paused")

    writeFileSync(gate, "")
    await attaching
    expect(await look()).toEqual({ can: CAN, listed: CAN, offers: true })
  },
)
