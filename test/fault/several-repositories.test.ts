/**
 * Disturbs the landing of a task in two repositories at every point.
 *
 * Method: as in landing.test.ts. At the end the work is in both targets or in neither. If only one
 * target could move, the work was taken back there. Each target only went forward. No commit is lost,
 * the users' bytes are in place, and no lock is left.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import type { LandingId } from "../../src/base/ids.ts"
import { isCancellable } from "../../src/kernel/landing/cancellable.ts"
import { listUndoing } from "../../src/kernel/landing/rows/find.ts"
import { recordLanding } from "../../src/kernel/landing/rows/record.ts"
import { arrangePair, expectUndamaged } from "../support/disturbed-pair.ts"
import { draw } from "../support/draw.ts"
import { Crash } from "../support/landing.ts"
import { Pair } from "../support/pair.ts"

/** An act of another user during the landing. @returns its name, if it was possible. */
type Deed = (pair: Pair, id: LandingId) => string | undefined

const LOCK = ".git/refs/heads/main.lock"
const WAITS_MAX = 3

function push(pair: Pair, file: string, text: string): string | undefined {
  const { web } = pair
  if (existsSync(join(web.path, LOCK))) return undefined // git keeps them out: they try again
  const scratch = join(web.folder, "theirs")
  web.git("worktree", "add", "--quiet", "--detach", scratch, "main")
  const commit = web.commit({ [file]: text }, "THEIRS", scratch)
  web.git("worktree", "remove", "--force", scratch)
  web.git("merge", "--quiet", "--ff-only", commit)
  return "THEIRS"
}

const DEEDS: Readonly<Record<string, Deed>> = {
  nothing: () => undefined,
  "the second target moves": (pair) => push(pair, "theirs.txt", "theirs"),
  "the second target moves into a conflict": (pair) =>
    existsSync(join(pair.web.path, "web.txt")) ? undefined : push(pair, "web.txt", "theirs"),
  "the second checkout is in the way": ({ web }) => {
    if (existsSync(join(web.path, "web.txt"))) return undefined
    web.write({ "web.txt": "the user's" })
    return "in the way"
  },
  "the agent commits late in the second": (pair) => {
    const worktree = pair.worktree("web")
    if (!existsSync(worktree)) return undefined
    try {
      pair.web.commit({ "late.txt": "late" }, "LATE", worktree)
      return "LATE"
    } catch {
      return undefined // git's locks kept it out
    }
  },
  cancel: ({ it }, id) => {
    const landing = it.landing(id)
    if (!isCancellable(landing)) return undefined
    recordLanding(it.db, landing, { event: "cancelled" }, it.nowMs)
    return "cancelled"
  },
}

/** Runs it, and what takes it back, until nothing more happens. */
async function settle(pair: Pair, id: LandingId): Promise<void> {
  const { it, web } = pair
  let landing = await it.run(id)
  for (let waits = 0; landing.state === "waiting"; waits++) {
    expect([waits < WAITS_MAX, landing.outcome]).toEqual([true, "DIRTY_MAIN"])
    expect(readFileSync(join(web.path, "web.txt"), "utf8")).toBe("the user's")
    web.write({ "web.txt": null })
    it.wake(id)
    landing = await it.run(id)
  }
  for (const reversal of listUndoing(it.db, id))
    expect(await it.run(reversal.id)).toMatchObject({ state: "landed" })
}

const arranged = arrangePair()
afterAll(() => arranged[Symbol.asyncDispose]())

/** @param at the how-manieth point is cut, or is when it happens; -1: none. */
async function land(deed: Deed, { at, isCut }: { at: number; isCut: boolean }) {
  await using pair = new Pair({}, arranged)
  const { it } = pair
  const starts = pair.tips()
  const id = it.submit({ branch: "feat" })
  let did: string | undefined
  it.onPoint = () => {
    const n = it.points.length - 1
    if (n === at && isCut) throw new Crash()
    if (n === (isCut ? at + 1 : at)) did = deed(pair, id) // after a crash: before the next action
  }
  await settle(pair, id)
  it.onPoint = () => {}
  expectUndamaged(pair, starts)
  const landing = it.landing(id)
  const all = pair.each((repo) => repo.git("log", "--all", "--format=%s").split("\n"))
  const main = pair.each((repo) => repo.git("log", "main", "--format=%s").split("\n"))
  return {
    did,
    landing,
    landed: pair.landed(),
    all,
    main,
    points: it.points,
  }
}

const { points } = await land(() => undefined, { at: -1, isCut: false })
const places = points.map((name, at) => ({ name, at }))
const isDrawn = draw("the faults of a landing in two repositories")
/** Each takes a second, so not everything is tried everywhere; every cut is. */
const isWorthIt = (name: string, what: string, isCut: boolean): boolean =>
  isCut
    ? what === "nothing" || /^(publishing|advance: ref moved)/.test(name)
    : /looked|decided|one published|preparing: before/.test(name)

const whens = [true, false].flatMap((isCut) =>
  Object.entries(DEEDS).map(([what, deed]) => ({ isCut, what, deed })),
)
const disturbing = whens
  .map((when) => {
    const { isCut, what } = when
    const worth = places.filter(({ name }) => isWorthIt(name, what, isCut))
    return { ...when, here: worth.filter(() => what === "nothing" || isDrawn()) }
  })
  .filter(({ isCut, what, here }) => (isCut || what !== "nothing") && here.length > 0)

describe.each(disturbing)("killed: $isCut, $what", ({ isCut, what, deed, here }) => {
  test.concurrent.each(here)("at $at, $name [2.1, 21.3]", async ({ at }) => {
    const { did, landing, landed, all, main } = await land(deed, { at, isCut })
    expect(landed.app, "both or neither").toBe(landed.web)
    expect(landed.app).toBe(landing.state === "landed")
    if (!landed.app) expect(["cancelled", "handed_back", "failed"]).toContain(landing.state)
    if (did !== "cancelled" && !what.includes("conflict")) expect(landed.app).toBe(true)
    if (["cancelled", "handed_back"].includes(landing.state))
      expect(main.app).toEqual(["M1", "commit"])
    if (did === "THEIRS") expect(main.web).toContain("THEIRS")
    if (did === "LATE") expect(all.web).toContain("LATE")
    expect([all.app, all.web]).toEqual([
      expect.arrayContaining(["in app"]),
      expect.arrayContaining(["in web"]),
    ])
  })
})
