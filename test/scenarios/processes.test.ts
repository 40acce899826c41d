/** A whole fleet leaves no process running, however it came to its end. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { findGuard, isThere, listMarked, listOfHome, listUnowned } from "../support/marked.ts"
import { waitFor } from "../support/wait-for.ts"

const ORPHAN_MS_MAX = 5_000
/** A tool in a session of its own, and an agent that goes on with it, neither of which minds TERM. */
const STUBBORN = `trap "" TERM; setsid sh -c 'trap "" TERM; sleep 600' & echo $COPPICE_TASK >> "$STEPS/began"; sleep 600 & wait; sleep 600`
const GATE = "setsid sleep 600 & test ! -f bad.txt"

test.runIf(process.platform === "linux")(
  "over the life of a fleet no process is unowned, and at its end no process is left [10.1]",
  async () => {
    await using fleet = new Fleet({ repo: { gate: GATE }, limits: { concurrent: 8 } })
    const home = fleet.home.path
    expect(listOfHome(home)).toEqual([])
    const marked = () => listMarked(home)
    /** Neither on record nor the daemon's own: its git's shells end with it. */
    const unowned = (daemon: number) => listUnowned(home, daemon)

    fleet.step(2, "rm bad.txt; setsid sleep 600 & exit 0")
    const handedBack = await fleet.json(TaskDocument, [
      "run",
      "setsid sleep 600 & echo b > bad.txt; echo g > g.txt",
    ])
    expect(handedBack).toMatchObject({ state: "complete", landing: { handbacks: 1 } })
    expect(marked()).toEqual([])

    const [paused = "", cancelled = "", killed = ""] = await Promise.all(
      [1, 2, 3].map(() => fleet.start(STUBBORN)),
    )
    await waitFor("three agents", () => fleet.noted("began").length === 3)
    const first = await fleet.pid()
    expect([marked().length >= 6, unowned(first)]).toEqual([true, []])
    await Promise.all([fleet.coppice("pause", paused), fleet.coppice("cancel", cancelled)])
    const ofKilled = async () => (await fleet.client.show(killed)).state === "working" && marked()
    const left = await waitFor("those of one", async () => {
      const pids = await ofKilled()
      return pids && pids.length > 0 && pids.length <= 4 && pids
    })

    const guard = findGuard(first)!
    process.kill(first, "SIGKILL")
    await waitFor("their end", () => ![first, guard, ...left].some(isThere), ORPHAN_MS_MAX)
    await waitFor("the end of its git", () => listOfHome(home).length === 0, ORPHAN_MS_MAX)

    await fleet.coppice("say", "-d", killed, "Go on.")
    await waitFor("the agent again", () => fleet.noted("began").length === 4)
    const second = await fleet.pid()
    expect([fleet.noted("began").at(-1), unowned(second)]).toEqual([killed, []])
    const last = [second, findGuard(second)!, ...marked()]
    await fleet.coppice("down")
    await waitFor("the end of all", () => !last.some(isThere), ORPHAN_MS_MAX)
    await waitFor("the end of its git", () => listOfHome(home).length === 0, ORPHAN_MS_MAX)
  },
)
