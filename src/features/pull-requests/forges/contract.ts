/** The tests that every forge must pass: the same questions and effects, over a real repository. */
import { describe, expect, test } from "vitest"
import type { Oid } from "../../../base/ids.ts"
import type { MergeMethod } from "../../../config/config.ts"
import { pullReviewState } from "../rules.ts"
import type { Forge } from "./forge.ts"

/** A forge with a repository: `main`, and the branch `work` with one commit more. */
export type ForgeWorld = AsyncDisposable & {
  readonly forge: Forge
  /** The same one, with {@link IMPATIENT_MS} for each request. */
  readonly impatient: Forge
  readonly head: Oid
  /** A person of the project reviews the pull request as it is now. */
  review(number: number, verdict: "approved" | "changes_requested"): void
  /** A check of the commit ends; null: it is running. */
  check(commit: Oid, passed: boolean | null): void
  closePull(number: number): void
  /** The target gets a merge queue of the forge. @returns false if the forge knows none. */
  startQueue(): boolean
  /** The checks fail, or a person takes the pull request out of the queue: `reason` is null. */
  leaveQueue(number: number, reason: string | null): void
  /** A person makes a branch at the target. */
  branch(name: string): void
  /** The project allows this way of merging. */
  allow(method: MergeMethod): void
  /** The next answer to a request that changes something is lost, after its effect. Default: its connection breaks. */
  loseAnswer(how?: "lose" | "hang" | "stall"): void
  goDown(): void
  /** How many pull requests were ever opened. */
  pullCount(): number
  /** The subject of the target's last commit, and its number of parents. */
  target(): { readonly subject: string; readonly parents: number }
}

const PULL = { branch: "work", target: "main", title: "Work", body: "It works.", isDraft: false }

/** Longer than a double takes, and short enough to wait for. */
export const IMPATIENT_MS = 400

export function testForge(name: string, start: () => Promise<ForgeWorld>): void {
  describe(`${name}, as a forge`, () => {
    test("opens a pull request, and finds it by its branch", async () => {
      await using world = await start()
      const { forge, head } = world
      expect(await forge.findOpen(PULL)).toBeUndefined()
      const opened = await forge.open(PULL)
      const wanted = { state: "open", head, branch: "work", target: "main", merge: null }
      expect(opened).toMatchObject(wanted)
      expect(await forge.findOpen(PULL)).toEqual(opened)
      expect(await forge.read(opened.number)).toEqual(opened)
    })

    test("opened again, it is the same one, also when the first answer was lost", async () => {
      await using world = await start()
      world.loseAnswer()
      await expect(world.forge.open(PULL)).rejects.toMatchObject({ code: "forge.unavailable" })
      const { number } = await world.forge.open(PULL)
      expect(await world.forge.open(PULL)).toMatchObject({ number })
    })

    test.each(["hang", "stall"] as const)(
      "a request that is carried out and not answered in time (%s) is not done twice",
      async (how) => {
        await using world = await start()
        const { forge, impatient, head } = world
        const late = { code: "forge.unavailable", message: /does not answer: not within 0.4 s/ }
        world.loseAnswer(how)
        await expect(impatient.open(PULL)).rejects.toMatchObject(late)
        const { number } = await forge.open(PULL)
        expect(world.pullCount(), "the first one was found").toBe(1)
        world.branch("release")
        world.loseAnswer(how)
        await expect(impatient.retarget(number, "release")).rejects.toMatchObject(late)
        await forge.retarget(number, "main")
        world.loseAnswer(how)
        const asked = { method: "merge", head } as const
        await expect(impatient.merge(number, asked)).rejects.toMatchObject(late)
        const merged = await forge.read(number)
        expect(merged).toMatchObject({ state: "merged", head })
        expect(await forge.merge(number, asked)).toMatch(/./)
        expect(await forge.read(number), "it was merged once").toEqual(merged)
      },
    )

    test("reports verdicts with their commit, and checks by their state", async () => {
      await using world = await start()
      const { forge, head } = world
      const { number } = await forge.open(PULL)
      const ids = []
      for (const verdict of ["changes_requested", "approved"] as const) {
        world.review(number, verdict)
        const reviews = await forge.listPullReviews(number)
        expect(pullReviewState(reviews, head)).toBe(verdict)
        expect(reviews.at(-1)).toMatchObject({ verdict, commit: head, isTrusted: true })
        ids.push(reviews.at(-1)!.id)
      }
      expect(ids[1]).toBeGreaterThan(ids[0]!)
      expect(await forge.listChecks(head)).toEqual([])
      for (const passed of [true, false, null]) world.check(head, passed)
      const states = (await forge.listChecks(head)).map(({ state }) => state)
      expect(states.toSorted()).toEqual(["failed", "passed", "pending"])
    })

    test.each(["merge", "squash", "rebase"] as const)(
      "merges by %s, at exactly the head",
      async (method) => {
        await using world = await start()
        const { forge, head } = world
        world.allow(method)
        const { number } = await forge.open(PULL)
        const other = "0".repeat(40) as Oid
        expect(await forge.merge(number, { method, head: other })).toMatch(/./)
        expect(await forge.read(number)).toMatchObject({ state: "open" })
        expect(await forge.merge(number, { method, head })).toBeUndefined()
        expect(await forge.read(number)).toMatchObject({ state: "merged", head })
        expect(world.target().parents).toBe(method === "merge" ? 2 : 1)
      },
    )

    test("makes an open one lead into another branch, and says why it cannot", async () => {
      await using world = await start()
      const { forge } = world
      const { number } = await forge.open(PULL)
      world.branch("release")
      for (let n = 0; n < 2; n++) await forge.retarget(number, "release")
      expect(await forge.read(number)).toMatchObject({ state: "open", target: "release" })
      expect(await forge.findOpen({ ...PULL, target: "release" })).toMatchObject({ number })
      const refused = expect.objectContaining({ code: "forge.refused" })
      await expect(forge.retarget(number, "gone")).rejects.toEqual(refused)
    })

    test("gives a place in the merge queue to exactly the head, and says why it was lost", async () => {
      await using world = await start()
      const { forge, head } = world
      const { number } = await forge.open(PULL)
      expect(await forge.findQueue(number)).toBeUndefined()
      const method = "merge"
      expect(await forge.enqueue(number, { method, head })).toMatch(/./)
      if (!world.startQueue()) return
      const out = { isQueued: false, commit: null, removal: null }
      expect(await forge.findQueue(number)).toEqual(out)
      const other = "0".repeat(40) as Oid
      expect(await forge.enqueue(number, { method, head: other })).toMatch(/./)
      const ids = new Set<unknown>()
      for (const reason of ["the pipeline failed", null]) {
        expect(await forge.enqueue(number, { method, head })).toBeUndefined()
        const tested = expect.stringMatching(/^[0-9a-f]{40}$/)
        expect(await forge.findQueue(number)).toMatchObject({ isQueued: true, commit: tested })
        world.leaveQueue(number, reason)
        const left = await forge.findQueue(number)
        expect(left).toMatchObject({ ...out, removal: { isByPerson: reason === null } })
        if (reason !== null) expect(left?.removal?.reason).toBe(reason)
        ids.add(left?.removal?.id)
      }
      expect(ids.size).toBe(2)
    })

    test("tells a closed one from a merged one, and opens another for the same branch", async () => {
      await using world = await start()
      const { number } = await world.forge.open(PULL)
      world.closePull(number)
      expect(await world.forge.read(number)).toMatchObject({ state: "closed", merge: null })
      expect(await world.forge.findOpen(PULL)).toBeUndefined()
      expect((await world.forge.open(PULL)).number).not.toBe(number)
    })

    test("an error says whether to ask again", async () => {
      await using world = await start()
      const { forge } = world
      await expect(forge.read(99)).rejects.toMatchObject({ code: "forge.refused" })
      await expect(forge.open({ ...PULL, branch: "gone" })).rejects.toMatchObject({
        code: "forge.refused",
      })
      world.goDown()
      await expect(forge.read(1)).rejects.toMatchObject({ code: "forge.unavailable" })
    })
  })
}
