import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../core/ids.ts"
import { Dice } from "../../../torture/dice.ts"
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

/** Each behind those it comes from; a third of them have two parents, and some none. */
function randomHistory(dice: Dice): { parents: number[] }[] {
  return Array.from({ length: 40 }, (_, n) => {
    const near = () => Math.max(0, n - 1 - dice.below(4))
    const count = n === 0 || dice.below(30) === 0 ? 0 : dice.below(5) === 0 ? 2 : 1
    return { parents: [...new Set(Array.from({ length: count }, near))] }
  })
}

test("what it tells of random histories with merges is what git would", async () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  using repo = new TestRepo({ commit: false })
  const history = randomHistory(new Dice(seed))
  const who = "committer a <a@example.com> 0 +0000"
  const told = history.map(({ parents: [first, ...others] }, n) => {
    const from = first === undefined ? "" : `from :${first + 1}\n`
    const merges = others.map((other) => `merge :${other + 1}\n`).join("")
    const head = first === undefined ? `reset refs/made/${n}\n` : ""
    return `${head}commit refs/made/${n}\nmark :${n + 1}\n${who}\ndata 2\n${n + 10}\n${from}${merges}\n`
  })
  const options = { cwd: repo.path, env: repo.env, input: told.join("") }
  execFileSync("git", ["fast-import", "--quiet"], options)
  const oids = repo
    .git("rev-parse", ...history.map((_, n) => `refs/made/${n}`))
    .split("\n") as Oid[]
  const reach = history.map(() => new Set<number>())
  for (const [n, { parents }] of history.entries())
    reach[n] = new Set([n, ...parents.flatMap((parent) => [...reach[parent]!])])
  let met = 0
  for (const [a, ofA] of reach.entries())
    for (const [b, ofB] of reach.entries()) {
      const where = `seed ${seed}: ${a} ${b}`
      const meeting = await findMeeting(repo.path, oids[a]!, oids[b]!)
      const common = [...ofA].filter((n) => ofB.has(n))
      const best = common.filter((n) => !common.some((m) => m !== n && reach[m]!.has(n)))
      if (meeting)
        expect(
          best.map((n) => oids[n]),
          where,
        ).toEqual([meeting.mergeBase.oid])
      if (meeting) met++
      const line = await findLine(repo.path, oids[a]!, oids[b]!)
      const between = [...ofB].filter((n) => n === a || !ofA.has(n)).sort((x, y) => x - y)
      if (line)
        expect(
          line.map(({ oid }) => oid),
          where,
        ).toEqual(between.map((n) => oids[n]))
    }
  expect(met, `seed ${seed}`).toBeGreaterThan(history.length)
})
