/** Pausing a task that is merging: its landing leaves the queue, and begins again when it is resumed. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { LandingId } from "../../src/base/ids.ts"
import { landingLoop } from "../../src/kernel/landing/loop.ts"
import { appendEvent } from "../../src/kernel/store/events.ts"
import { pause, remove } from "../../src/kernel/tasks/actions/halt-landing.ts"
import { resume } from "../../src/kernel/tasks/actions/resume.ts"
import { Crash, LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

/** Leftovers of a gate must never be taken for work. */
const GATE = "echo junk > junk.txt; echo spoilt > feat.txt"

type Story = { readonly it: LandingTest; readonly id: LandingId; readonly worktree: string }

async function submitted(play: (story: Story) => Promise<void>): Promise<void> {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f" }, "M0")
  await using it = new LandingTest(repo, { gate: GATE, gateWrites: ["junk.txt", "feat.txt"] })
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m" }, "M1")
  await play({ it, id, worktree })
}

const rows = ({ db, nowMs }: LandingTest) => {
  return { db, world: { nowMs: () => nowMs, dice: () => 0, point: () => {} } }
}

/** Stops a landing that waits for a lock of the target, by `act`. @returns the lock. */
async function stopWaiting({ it, id, worktree }: Story, act: () => void): Promise<string> {
  const head = it.tip("feat")
  const lock = join(it.path, ".git/index.lock")
  it.onPoint = (name) => void (name === "publishing: before" && writeFileSync(lock, ""))
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  expect(it.tip("feat")).not.toBe(head)
  it.onPoint = () => {}
  act()
  expect(await it.run(id)).toMatchObject({ state: "paused", outcome: null })
  expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
  expect(it.tip("feat")).toBe(head)
  return lock
}

test.each([
  { at: "snapshotting: before", dies: false },
  { at: "preparing: before", dies: false },
  { at: "syncing: done, not recorded", dies: true },
  { at: "gating: gate ran", dies: false },
  { at: "gating: gate ran", dies: true },
])(
  "S13: paused at $at (killed: $dies), it leaves the queue with its worktree as it was, and lands when resumed [15.4]",
  async ({ at, dies }) => {
    await submitted(async ({ it, id, worktree }) => {
      const head = it.tip("feat")
      const stop = new AbortController()
      let isOver = false
      it.onPoint = (name) => {
        if (name !== at || isOver) return
        isOver = true
        pause(rows(it), it.task(id))
        stop.abort() // as the loop does when it sees that
        if (dies) throw new Crash()
      }
      while (it.landing(id).state !== "paused") await it.step(id, stop.signal)
      expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
      expect(it.tip("feat")).toBe(head)
      expect(it.task(id).state).toBe("paused")

      resume({ ...rows(it), findAttached: () => undefined }, it.task(id))
      expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
      expect(it.files()).toMatchObject({ "feat.txt": "feat", "m.txt": "m" })
      expect(it.files()).not.toHaveProperty("junk.txt")
      expect(it.task(id).state).toBe("complete")
    })
  },
)

test("paused while it waits for a lock of the target, its worktree goes back to its tip, and it lands when resumed [15.4]", async () => {
  await submitted(async ({ it, id, worktree }) => {
    const lock = await stopWaiting({ it, id, worktree }, () => pause(rows(it), it.task(id)))
    rmSync(lock)
    resume({ ...rows(it), findAttached: () => undefined }, it.task(id))
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  })
})

test("deleted while it waits, its worktree goes back to its tip if that is kept", async () => {
  await submitted(async ({ it, id, worktree }) => {
    const fleet = { ...rows(it), findAttached: () => undefined }
    await stopWaiting({ it, id, worktree }, () =>
      remove(fleet, it.task(id), { keepWorktree: true }),
    )
  })
})

test("paused while the index of its worktree is locked, it goes back to its tip once that is free [15.4]", async () => {
  await submitted(async ({ it, id, worktree }) => {
    const head = it.tip("feat")
    const lock = join(it.path, ".git/worktrees/feat/index.lock")
    it.onPoint = (name) => {
      if (name !== "gating: put back") return
      writeFileSync(lock, "")
      pause(rows(it), it.task(id))
    }
    const loop = landingLoop(it.context, (_, error) => expect.fail(String(error)))
    loop.start()
    await waitFor("the lock to be met", () => it.landing(id).outcome === "LOCKED")
    expect(it.tip("feat")).not.toBe(head)
    rmSync(lock)
    it.nowMs = it.landing(id).wakeAtMs!
    appendEvent(it.db, { type: "maintenance.done", task: null, data: {} }, it.nowMs)
    await waitFor("it to leave the queue", () => it.landing(id).state === "paused")
    await loop.stop()
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
    expect(it.tip("feat")).toBe(head)
  })
})

test("once its target may have moved it is too late to pause it [15.4]", async () => {
  await submitted(async ({ it, id }) => {
    let refused: unknown
    it.onPoint = (name) => {
      if (name !== "publishing: before") return
      try {
        pause(rows(it), it.task(id))
      } catch (error) {
        refused = error
      }
    }
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(refused).toMatchObject({
      code: "task.refused",
      message: expect.stringContaining("too late"),
    })
  })
})
