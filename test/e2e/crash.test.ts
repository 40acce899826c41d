/**
 * `kill -9` of the daemon at any moment: nothing runs on, nothing is lost, nothing is done twice.
 *
 * One fleet lives through all of it: at each moment a new task is under way beside older ones that
 * earlier crashes have interrupted. Moments are events, so the kill comes right behind a commit.
 */
import { expect, test } from "vitest"
import type { EventDocument } from "../../src/api/wire/events.ts"
import { Fleet } from "../support/fleet.ts"
import { findGuard, isThere, listMarked } from "../support/marked.ts"
import { waitFor } from "../support/wait-for.ts"

const LINUX = process.platform === "linux"
/** Promised: within this time nothing of a dead daemon's processes is left. */
const ORPHAN_MS_MAX = 5_000
const TIMEOUT = { timeout: 180_000 }

/**
 * Records its pid, and whether an earlier start of the same task is still alive. It leaves a child in
 * a session of its own, and takes a while. A repetition writes the same file.
 */
const AGENT = `
task=$COPPICE_TASK
for pid in $(cat "$STEPS/pids-$task" 2>/dev/null); do grep -qs "^State:.[^ZX]" /proc/$pid/status && echo $task >> "$STEPS/overlaps"; done
[ -f "$STEPS/set-up-$task" ] || echo $task >> "$STEPS/unready"
echo $$ >> "$STEPS/pids-$task"
echo "$COPPICE_TURN $PWD" >> "$STEPS/starts-$task"
setsid sleep 300 & echo $! >> "$STEPS/pids-$task"
echo x >> uncommitted.txt
sleep 0.3
rm uncommitted.txt
echo $task > file-$task.txt
`
const SETUP = 'sleep 0.2; : > "$STEPS/set-up-$COPPICE_TASK"'
const GATE = 'echo $$ >> "$STEPS/gates"; sleep 0.2; test ! -f bad.txt'
const MOMENTS = [
  "task.created",
  "workspace.ready", // in the middle of its set-up
  "turn.began",
  "turn.ended",
  "landing.snapshotted",
  "landing.prepared",
  "gate.started",
  "landing.passed",
  "landing.published",
]

test.runIf(LINUX)(
  "L13: each task lands exactly once, whenever the daemon is killed [1.1, 7.1, 10.2, 30.4]",
  TIMEOUT,
  async () => {
    await using fleet = new Fleet({ repo: { setup: SETUP, gate: GATE }, limits: { concurrent: 8 } })
    fleet.step(1, AGENT)
    const commits = fleet.log().length
    const first: Record<string, string | null> = {}
    const seed = Math.trunc(Math.random() * 2 ** 31)
    console.log(`seed of the random moment: ${seed}`)
    const moments = [...MOMENTS, 1 + (seed % 15)]

    let seen = 0
    for (const [at, moment] of moments.entries()) {
      const { task } = await fleet.client.create({ prompt: `do ${at}` })
      first[task.id] = (await fleet.client.show(task.id)).sessionId
      const pid = await fleet.pid()
      seen = await reached(fleet, moment, seen)
      const orphans = listMarked(fleet.home.path)
      process.kill(pid, "SIGKILL")
      await waitFor("the end of the daemon", () => !isThere(pid))
      if (at % 2 === 0)
        await waitFor("the end of all processes", () => !orphans.some(isThere), ORPHAN_MS_MAX)
    }

    const { tasks } = await fleet.client.list()
    expect(tasks).toHaveLength(moments.length)
    for (const { id } of tasks) {
      const task = await fleet.until(id)
      expect(task).toMatchObject({
        state: "complete",
        landing: { state: "landed", outcome: "LANDED" },
      })
      expect(task.jobs.map(({ sessions }) => sessions)).toEqual([[task.sessionId]])
      if (first[id]) expect(task.sessionId).toBe(first[id])
      expect(
        fleet.repo.git("log", "--format=%s", "main", "--", `file-${id}.txt`).split("\n"),
      ).toHaveLength(1)
      const starts = fleet.noted(`starts-${id}`)
      expect(new Set(starts).size, `${starts}`).toBe(1)
      expect(starts[0]).toMatch(/^1 /)
    }
    expect(fleet.noted("overlaps")).toEqual([])
    expect(fleet.noted("unready")).toEqual([])
    expect(fleet.log()).toHaveLength(commits + tasks.length)
    expect(fleet.log("%P").filter((parents) => parents.includes(" "))).toEqual([])
    await expect.poll(() => fleet.leftovers(), { timeout: 15_000 }).toEqual([])
    expect(fleet.repo.git("fsck", "--connectivity-only", "--no-dangling")).toBe("")
  },
)

test.runIf(LINUX)(
  "the next daemon ends the processes that are left if the guard was killed too [10.2]",
  async () => {
    await using fleet = new Fleet({ repo: { setup: SETUP, gate: false } })
    fleet.step(1, AGENT.replace("sleep 0.3", 'test -f "$STEPS/go" || sleep 300'))
    const id = await fleet.start("do it")
    await waitFor("the agent", () => fleet.noted(`pids-${id}`).length === 2)
    const pid = await fleet.pid()
    const guard = findGuard(pid)!
    process.kill(guard, "SIGSTOP")
    process.kill(pid, "SIGKILL")
    process.kill(guard, "SIGKILL")
    await waitFor("the end of both", () => !isThere(pid) && !isThere(guard))
    const left = fleet.noted(`pids-${id}`).map(Number)
    expect(left.every(isThere)).toBe(true)

    fleet.noted("go")
    const { worktree } = (await fleet.client.show(id)).repos[0]!
    expect(left.some(isThere)).toBe(false)
    expect(await fleet.until(id)).toMatchObject({
      state: "complete",
      landing: { outcome: "LANDED" },
    })
    expect(fleet.noted(`starts-${id}`)).toEqual([`1 ${worktree}`, `1 ${worktree}`])
    expect(fleet.noted("overlaps")).toEqual([])
  },
)

/**
 * Of whichever task comes there first: an earlier kill has interrupted some on their way.
 *
 * @param moment a type of event, or how many events happen.
 * @returns the event behind which it is.
 */
async function reached(fleet: Fleet, moment: string | number, after: number): Promise<number> {
  let left = typeof moment === "number" ? moment : 1
  const counts = ({ type }: EventDocument) => typeof moment === "number" || type === moment
  return (await fleet.event((event) => counts(event) && --left === 0, after)).seq
}
