/** Scenarios of group T: hooks, worktrees inside the repository, and targets that others move. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { LandingId, TaskId } from "../../src/base/ids.ts"
import { landingLoop } from "../../src/kernel/landing/loop.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"
import { strategyOf, workspaceRequest } from "../support/workspaces.ts"

const HOOKS = [
  ...["applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout"],
  ...["post-commit", "post-index-change", "post-merge", "post-rewrite", "pre-applypatch"],
  ...["pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase"],
  ...["prepare-commit-msg", "reference-transaction", "sendemail-validate", "update"],
]
/** Longer than a machine under load takes for a few landings. */
const LONG_MS = 50_000
const TICK_MS = 100

test.each(["in the repository", "where core.hooksPath says"])(
  "T16: no hook %s runs, whatever a landing does",
  async (where) => {
    using repo = new TestRepo()
    repo.commit({ "f.txt": "1\n2\n3\n" }, "M0")
    await using it = new LandingTest(repo, { gate: "true" })
    const worktree = repo.worktree("feat")
    for (const text of ["1\nX\n3\n", "1\n2\n3\n"])
      repo.commit({ "f.txt": text, "n.txt": text }, "A", worktree)
    repo.write({ "left.txt": "left" }, worktree)
    const id = it.submit({ branch: "feat" })
    repo.commit({ "f.txt": "1\nM\n3\n" }, "M1")
    const ran = join(repo.folder, "ran")
    const isOwn = where === "in the repository"
    const hooks = isOwn ? join(repo.path, ".git/hooks") : join(repo.folder, "hooks")
    if (!isOwn) repo.git("config", "core.hooksPath", hooks)
    mkdirSync(hooks, { recursive: true })
    for (const name of HOOKS)
      writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`, { mode: 0o755 })
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.files()).toMatchObject({ "left.txt": "left", "f.txt": "1\nM\n3" })
    expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "the user's own")
    expect(readFileSync(ran, "utf8")).toContain("pre-commit")
  },
)

test.each([
  ["stash", "advance: files moved", ["push", "--include-untracked"]],
  ["reset", "advance: files moved", ["--hard"]],
  ["switch", "advance: ref locked", ["--detach", "other"]],
])("a git %s at '%s' is kept out, and takes and leaves nothing [5.1]", async (verb, at, args) => {
  using repo = new TestRepo()
  repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
  repo.commit({ "other.txt": "other" }, "O1", repo.worktree("other"))
  repo.write({ "README.md": "the user's edit\n", "notes.txt": "the user's notes" })
  await using it = new LandingTest(repo)
  it.onPoint = (name) => {
    if (name === at) expect(() => repo.git(verb, ...args)).toThrow()
  }
  expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ outcome: "LANDED" })
  expect(repo.git("status", "--porcelain")).toBe("M README.md\n?? notes.txt")
  expect(it.points).toContain(at)
})

test("T17: a worktree inside the repository is never untracked there, never staged, and lands", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const strategy = strategyOf("/state of/landing-test")
  const request = workspaceRequest(repo, { worktreeDir: ".worktrees", task: 1 as TaskId })
  const { worktree, branch } = await strategy.setup(request)
  expect(worktree.startsWith(join(repo.path, ".worktrees"))).toBe(true)
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const seen = () => repo.git("status", "--porcelain", "--untracked-files=all")
  expect(seen()).toBe("")
  repo.git("add", "--all")
  expect(seen()).toBe("")
  const landing = await it.run(it.submit({ branch, worktree }))
  expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", reason: null })
  expect([seen(), existsSync(worktree)]).toEqual(["", false])
  expect(Object.keys(it.files())).toEqual(["README.md", "a.txt"])
  await strategy.settled()
})

test("T19: on a target that another user moves at every first try, five landings of two homes all land", async () => {
  using repo = new TestRepo()
  repo.git("checkout", "--quiet", "--detach")
  await using one = new LandingTest(repo, { gate: "true" })
  await using other = new LandingTest(repo, { gate: "true", home: "another" })
  const landings = [one, one, one, other, other].map((it, n) => {
    repo.commit({ [`feat${n}`]: "f" }, `feat${n}`, repo.worktree(`feat${n}`, "main"))
    return { it, id: it.submit({ branch: `feat${n}` }) }
  })
  const theirs = repo.worktree("theirs", "main")
  let moves = 0
  for (const it of [one, other]) {
    const own = landings.filter((landing) => landing.it === it).map(({ id }) => id)
    const disturbed = new Set<LandingId>()
    it.onPoint = async (name) => {
      const id = own.find((id) => it.landing(id).state === "publishing")
      if (name !== "publishing: looked" || id === undefined || disturbed.has(id)) return
      disturbed.add(id)
      await move(repo, theirs, ++moves)
    }
  }
  const haveLanded = () => {
    for (const it of [one, other]) it.nowMs += TICK_MS // for those that found git's locks held
    return landings.every(({ it, id }) => it.landing(id).state === "landed")
  }
  await looping([one, other], () => waitFor("all to land", haveLanded, LONG_MS))

  const feats = one.history().filter((subject) => subject.startsWith("feat"))
  expect(feats.toSorted()).toEqual(landings.map((_, n) => `feat${n}`))
  expect(one.history()).toHaveLength(1 + landings.length + moves)
  expect([moves, repo.git("rev-list", "--merges", "main")]).toEqual([landings.length, ""])
  for (const { it, id } of landings) {
    const { races } = it.landing(id)
    expect(races).toBeGreaterThanOrEqual(1)
    const ran = it.trace(id).filter((type) => type === "gate.started").length
    expect(ran, "a gate runs again only where its base has changed").toBe(races + 1)
  }
})

/** Another user moves the target by plain git, again if a landing was faster or has its lock. */
async function move(repo: TestRepo, worktree: string, n: number): Promise<void> {
  await waitFor("the target to be moved", () => {
    const from = repo.tip("main")
    repo.gitIn(worktree, "reset", "--quiet", "--hard", from)
    const to = repo.commit({ [`theirs${n}`]: "t" }, `theirs ${n}`, worktree)
    try {
      repo.git("update-ref", "refs/heads/main", to, from)
      return true
    } catch {
      return false
    }
  })
}

async function looping(homes: readonly LandingTest[], work: () => Promise<unknown>) {
  const errors: unknown[] = []
  const loops = homes.map((it) => landingLoop(it.context, (_, error) => errors.push(error)))
  for (const loop of loops) loop.start()
  try {
    await work()
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()))
  }
  expect(errors).toEqual([])
}
