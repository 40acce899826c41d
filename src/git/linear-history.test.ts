import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import type { Oid } from "../core/ids.ts"
import { findLine, findMeeting } from "./linear-history.ts"

test("tells where two lines meet and what lies between, as git does", async () => {
  using repo = new TestRepo()
  for (let n = 0; n < 3; n++) repo.commit({ n: String(n) })
  repo.git("checkout", "--quiet", "-b", "work")
  for (let n = 0; n < 20; n++) repo.commit({ w: String(n) })
  repo.git("checkout", "--quiet", "main")
  for (let n = 0; n < 10; n++) repo.commit({ m: String(n) })
  const names = ["main", "work", "main~10", "main~12", "work~19", "main~13"]
  for (const a of names)
    for (const b of names) {
      const [ofA, ofB] = [repo.tip(a), repo.tip(b)]
      const met = await findMeeting(repo.path, ofA, ofB)
      expect(met?.mergeBase.oid, `${a} ${b}`).toBe(repo.git("merge-base", a, b))
      expect([met?.a.tree, met?.b.tree]).toEqual([a, b].map((name) => repo.tip(`${name}^{tree}`)))
    }
  const line = await findLine(repo.path, repo.tip("main~10"), repo.tip("work"))
  const listed = repo.git("rev-list", "--reverse", "main~10..work").split("\n")
  expect(line?.map(({ oid }) => oid)).toEqual([repo.tip("main~10"), ...listed])
})

test("leaves to git what is no line: merges, nothing in common, a shallow history, a long way", async () => {
  using repo = new TestRepo()
  const base = repo.tip("main")
  const [side, main] = ["side", "main"].map((name) => {
    repo.git("checkout", "--quiet", "-B", name, base)
    return repo.commit({ [name]: name })
  }) as [Oid, Oid]
  repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
  const merged = repo.tip("main")
  const root = repo.git("commit-tree", "main^{tree}", "-m", "root") as Oid
  for (const [a, b] of [
    [merged, side],
    [merged, root],
  ] as const)
    expect(await findMeeting(repo.path, a, b)).toBe(undefined)
  expect((await findMeeting(repo.path, merged, merged))?.mergeBase.oid).toBe(merged)
  for (const from of [base, main, root, side])
    expect(await findLine(repo.path, from, merged)).toBe(undefined)
  expect(await findLine(repo.path, "0".repeat(40) as Oid, side)).toBe(undefined)

  const shallow = repo.clone("shallow", "--no-local", "--depth=1", "--branch=side")
  expect(await findMeeting(shallow, side, side)).toBe(undefined)

  repo.git("checkout", "--quiet", "--detach", base)
  let tip = base
  for (let n = 0; n < 40; n++)
    tip = repo.git("commit-tree", "HEAD^{tree}", "-p", tip, "-m", String(n)) as Oid
  expect(await findLine(repo.path, base, tip), "far").toBe(undefined)
  expect(await findLine(repo.path, base, tip), "what was asked is remembered").toHaveLength(41)
})
