/** Scenarios of group M with more than one repository: all of them land, or none. */
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { findOpenTurn } from "../../src/kernel/tasks/rows/turns/find.ts"
import { PAIR, Pair } from "../support/pair.ts"
import type { Files } from "../support/repo.ts"

const LANDED = { state: "landed", outcome: "LANDED" }

test("both land, and nothing is left of either [21.1]", async () => {
  await using pair = new Pair({ gates: { web: "test -f web.txt" } })
  const { it, app, web } = pair
  web.commit({ "theirs.txt": "theirs" }, "THEIRS")
  const id = it.submit({ branch: "feat" })
  expect(await it.run(id)).toMatchObject(LANDED)
  expect(pair.subjects()).toEqual({ app: "in app", web: "in web" })
  for (const repo of [app, web]) {
    expect(repo.git("status", "--porcelain")).toBe("")
    expect(repo.git("branch", "--format=%(refname:short)")).toBe("main")
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
  }
  expect(it.trace(id)).toContain("landing.decided")
})

test("a repository in which nothing changed has nothing to land, and its gate does not run [21.2]", async () => {
  await using pair = new Pair({ gates: { web: "exit 1" } })
  const { it, web } = pair
  web.git("-C", pair.worktree("web"), "reset", "--quiet", "--hard", "main")
  const before = pair.tips()
  const id = it.submit({ branch: "feat" })
  expect(await it.run(id)).toMatchObject(LANDED)
  expect(pair.subjects()).toEqual({ app: "in app", web: "commit" })
  expect(pair.tips().web).toBe(before.web)
  expect(it.trace(id)).not.toContain("landing.decided")
})

test("M25: the second repository conflicts: neither target moves, no temporary file is left [21.1]", async () => {
  await using pair = new Pair()
  const { it, app, web } = pair
  web.commit({ "web.txt": "theirs" }, "THEIRS")
  const before = { tips: pair.tips(), heads: pair.tips("feat") }
  const scratch = join(app.folder, "scratch")
  mkdirSync(scratch)
  vi.stubEnv("TMPDIR", scratch)
  const id = it.submit({ branch: "feat" })
  const landing = await it.run(id)
  vi.unstubAllEnvs()
  const handedBack = { state: "handed_back", outcome: "SQUASH_CONFLICT", details: { repo: "web" } }
  expect(landing).toMatchObject(handedBack)
  expect(landing.reason).toBe("conflicts with main of web in web.txt")
  expect({ tips: pair.tips(), heads: pair.tips("feat") }).toEqual(before)
  expect(globSync("*/*", { cwd: scratch })).toEqual([])
  for (const name of PAIR)
    expect(pair[name].gitIn(pair.worktree(name), "status", "--porcelain")).toBe("")
  const prompt = findOpenTurn(it.db, landing.task)?.prompt
  expect(prompt).toContain(`Resolve it in ${pair.worktree("web")}`)
  expect(prompt).toContain(`cd ${pair.worktree("web")}`)
})

/** The user's files in the checkout of the second repository. */
const IN_THE_WAY: readonly Files[] = [{ "web.txt": "the user's" }]

test.each([false, "true"] as const)(
  "M26: the second checkout is in the way (gate: %s): neither target moves, until it is clean",
  async (gate) => {
    await using pair = new Pair({ gate })
    const { it, web } = pair
    web.write(IN_THE_WAY[0]!)
    const before = { tips: pair.tips(), heads: pair.tips("feat") }
    const id = it.submit({ branch: "feat" })
    const waiting = { state: "waiting", outcome: "DIRTY_MAIN", details: { paths: ["web.txt"] } }
    expect(await it.run(id)).toMatchObject({ ...waiting, decided: false })
    expect({ tips: pair.tips(), heads: pair.tips("feat") }).toEqual(before)
    web.write({ "web.txt": null })
    it.wake(id)
    expect(await it.run(id)).toMatchObject(LANDED)
    expect(pair.subjects()).toEqual({ app: "in app", web: "in web" })
  },
)

test("the second checkout's index is taken in the last moment: neither target moves, until it is free [21.1]", async () => {
  await using pair = new Pair()
  const { it, web } = pair
  const before = pair.tips()
  const lock = join(web.path, ".git/index.lock")
  it.onPoint = (name) => {
    if (name === "publishing: looked") writeFileSync(lock, "")
  }
  const id = it.submit({ branch: "feat" })
  const waiting = { state: "waiting", outcome: "LOCKED", details: { paths: [lock] } }
  expect(await it.run(id)).toMatchObject({ ...waiting, decided: false })
  expect(pair.tips()).toEqual(before)
  rmSync(lock)
  it.onPoint = () => {}
  it.wake(id)
  expect(await it.run(id)).toMatchObject(LANDED)
})

test.each([
  { gates: { app: "true", web: "test ! -f web.txt" }, red: "web" },
  { gates: { app: "test ! -f app.txt", web: "true" }, red: "app" },
  { gates: { web: "test ! -f web.txt" }, red: "web" }, // which may look into the other worktree
] as const)(
  "a gate is red: no target moves, and all worktrees stay at what was tested: $gates [21.1, 21.9]",
  async (of) => {
    await using pair = new Pair({ gates: of.gates })
    const { it, app, web } = pair
    for (const repo of [app, web]) repo.commit({ "theirs.txt": "theirs" }, "THEIRS")
    const before = pair.tips()
    const id = it.submit({ branch: "feat" })
    const landing = await it.run(id)
    expect(landing).toMatchObject({ state: "handed_back", details: { repo: of.red } })
    expect(pair.tips()).toEqual(before)
    const tested = Object.fromEntries(landing.repos.map((repo) => [repo.name, repo.candidate]))
    expect(pair.tips("feat")).toEqual(tested)
    for (const name of PAIR) {
      const worktree = pair.worktree(name)
      expect(pair[name].gitIn(worktree, "status", "--porcelain")).toBe("")
      expect(existsSync(join(worktree, "theirs.txt"))).toBe(true)
    }
    expect(findOpenTurn(it.db, landing.task)?.prompt).toContain("your other worktrees have those")
  },
)

test("the second worktree cannot be brought to its candidate: the first one is put back [21.1]", async () => {
  await using pair = new Pair({ gate: "true" })
  const { it, app, web } = pair
  for (const repo of [app, web]) repo.commit({ "theirs.txt": "theirs" }, "THEIRS")
  const head = pair.tips("feat").app
  let late = false
  it.onPoint = (name) => {
    if (late || name !== "advance: files moved") return
    late = true
    web.commit({ "late.txt": "late" }, "LATE", pair.worktree("web"))
    expect(app.tip("feat")).toBe(head)
  }
  const seen: string[] = []
  const id = it.submit({ branch: "feat" })
  for (let more = true; more && it.landing(id).state !== "landed"; ) {
    more = await it.step(id)
    if (it.landing(id).reason === "feat changed after its snapshot was taken")
      seen.push(app.tip("feat"))
  }
  expect(seen[0]).toBe(head)
  expect(it.landing(id)).toMatchObject(LANDED)
  expect(pair.subjects()).toEqual({ app: "in app", web: "LATE" })
})
