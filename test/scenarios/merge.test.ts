/** Scenarios of group M: what becomes of a task's work when it is landed. */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import type { ConflictFacts } from "../../src/kernel/landing/prompts/hand-back.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { findOpenTurn } from "../../src/kernel/tasks/rows/turns/find.ts"
import { LandingTest, type LandingTestOptions } from "../support/landing.ts"
import { type Files, TestRepo } from "../support/repo.ts"

const LINES = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n"
const line = (n: number, text: string) => LINES.replace(`l${n}\n`, `${text}\n`)

/** A repository whose main has these files, and a task that makes these commits on `feat`. */
async function landed(
  story: {
    readonly base?: Files
    readonly feat: readonly Files[]
    readonly main?: readonly Files[]
  } & LandingTestOptions,
  check: (it: LandingTest, landing: Landing, worktree: string) => void | Promise<void>,
) {
  using repo = new TestRepo()
  repo.commit({ "f.txt": LINES, ...story.base }, "M0")
  await using it = new LandingTest(repo, story)
  const worktree = repo.worktree("feat")
  for (const [n, files] of story.feat.entries()) repo.commit(files, `A${n + 1}`, worktree)
  const id = it.submit({ branch: "feat" })
  for (const [n, files] of (story.main ?? []).entries()) repo.commit(files, `M${n + 1}`)
  const scratch = join(repo.folder, "scratch")
  mkdirSync(scratch)
  vi.stubEnv("TMPDIR", scratch)
  const landing = await it.run(id)
  vi.unstubAllEnvs()
  expect(globSync("*/*", { cwd: scratch })).toEqual([])
  await check(it, landing, worktree)
}
const conflictOf = (landing: Landing) => (landing.details as { conflict: ConflictFacts }).conflict
const kinds = (landing: Landing) =>
  conflictOf(landing).paths.map(({ path, kind }) => `${path}: ${kind}`)

test("M01: a clean change lands linear, in the checkout too, and leaves nothing behind", async () => {
  const main = [{ "main.txt": "main" }]
  await landed({ feat: [{ "feature.py": "x = 1" }], main }, (it, landing, worktree) => {
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.task(landing.id)).toMatchObject({ state: "complete", reason: null })
    expect(it.history()).toEqual(["commit", "M0", "M1", "A1"])
    expect(it.repo.git("status", "--porcelain")).toBe("")
    expect(readFileSync(join(it.path, "feature.py"), "utf8")).toBe("x = 1")
    expect(existsSync(worktree)).toBe(false)
    expect(it.repo.git("branch", "--format=%(refname:short)")).toBe("main")
    expect(it.repo.git("worktree", "list").split("\n")).toHaveLength(1)
    const [rescue, ...more] = it.leftRefs()
    expect([it.repo.git("log", "-1", "--format=%s", rescue!), more]).toEqual(["A1", []])
  })
})

test("M02: no changes end well, and move nothing [17.7]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const before = it.tip("main")
  const landing = await it.run(it.submit({ branch: "feat" }))
  expect(landing).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
  expect(it.task(landing.id)).toMatchObject({ state: "complete", reason: { code: "no_changes" } })
  expect([it.tip("main"), existsSync(worktree), it.leftRefs()]).toEqual([before, false, []])
})

test("M02: uncommitted leftovers alone are a change", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.write({ "left.txt": "left" }, repo.worktree("feat"))
  const landing = await it.run(it.submit({ branch: "feat", title: "Leave it" }))
  expect(landing.outcome).toBe("LANDED")
  expect(it.files()["left.txt"]).toBe("left")
  expect(it.history().at(-1)).toBe("agent: Leave it")
})

test("work that the target already contains changes nothing", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  repo.git("merge", "--quiet", "--no-ff", "-m", "by hand", "feat")
  const merged = it.tip("main")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
  expect(it.tip("main")).toBe(merged)
})

test("commits that undo each other change nothing, and stay reachable", async () => {
  await landed({ feat: [{ "a.txt": "a" }, { "a.txt": null }] }, (it, landing) => {
    expect(landing.outcome).toBe("NO_CHANGES")
    expect(it.history()).toEqual(["commit", "M0"])
    expect(it.history(it.leftRefs()[0])).toEqual(["commit", "M0", "A1", "A2"])
  })
})

test("M03: two tasks from one base land one after the other, without merge commits", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const ids = ["feat1", "feat2"].map((branch) => {
    repo.commit({ [branch]: branch }, branch, repo.worktree(branch))
    return it.submit({ branch })
  })
  for (const id of ids) expect((await it.run(id)).outcome).toBe("LANDED")
  expect(it.history()).toEqual(["commit", "feat1", "feat2"])
})

test("a landing waits for the one before it, and does nothing until then", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const [first, second] = ["a", "b"].map((branch) => {
    repo.commit({ [branch]: branch }, branch, repo.worktree(branch))
    return it.submit({ branch })
  })
  await it.step(first!)
  expect(await it.run(second!)).toMatchObject({ state: "queued" })
  expect(await it.run(first!)).toMatchObject({ state: "landed" })
  expect(await it.run(second!)).toMatchObject({ state: "landed" })
  expect(it.history()).toEqual(["commit", "a", "b"])
})

test("M04: both add a file with different lines: handed back, and no one's files change [6.2]", async () => {
  const story = { feat: [{ "file.txt": "theirs\n" }], main: [{ "file.txt": "ours\n" }] }
  await landed(story, (it, landing, worktree) => {
    expect(landing).toMatchObject({
      state: "handed_back",
      outcome: "SQUASH_CONFLICT",
      handbacks: 1,
    })
    expect(kinds(landing)).toEqual(["file.txt: content"])
    expect(it.history()).toEqual(["commit", "M0", "M1"])
    expect(it.history("feat")).toEqual(["commit", "M0", "A1"])
    expect(readFileSync(join(worktree, "file.txt"), "utf8")).toBe("theirs\n")
    expect(it.repo.gitIn(worktree, "status", "--porcelain")).toBe("")
    const facts = conflictOf(landing)
    expect([facts.ours[0], facts.theirs[0]]).toEqual([
      expect.stringMatching(/ A1$/),
      expect.stringMatching(/ M1$/),
    ])
    expect(facts.paths[0]?.hunks).toBe("<<<<<<< target\nours\n=======\ntheirs\n>>>>>>> yours")
    const task = it.task(landing.id)
    expect(task.state).toBe("working")
    const { prompt } = findOpenTurn(it.db, task.id)!
    for (const fact of ["file.txt (content)", "git rebase main", "<<<<<<< target", " M1", " A1"])
      expect(prompt).toContain(fact)
  })
})

test("M05: commits that conflict one by one land as one change that applies [17.6]", async () => {
  const feat = [{ "f.txt": line(5, "X5") }, { "f.txt": LINES, "n.txt": "n" }]
  await landed({ feat, main: [{ "f.txt": line(5, "M5") }] }, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.files()).toMatchObject({ "n.txt": "n", "f.txt": line(5, "M5").trim() })
    const [author, message] = it.repo.git("log", "-1", "--format=%an%x00%B", "main").split("\0")
    expect(author).toBe("a")
    expect(message).toMatch(/^Do it\n\nSquashed[^]*\* [0-9a-f]{12} A1\n\* [0-9a-f]{12} A2/)
  })
})

test("M07: a change that is on the target already is dropped [17.5]", async () => {
  const same = { "f.txt": line(5, "X5") }
  await landed({ feat: [same], main: [{ ...same, "other.txt": "o" }] }, (it, landing) => {
    expect(landing.outcome).toBe("NO_CHANGES")
    expect(it.history()).toEqual(["commit", "M0", "M1"])
  })
})

test("M08: a binary file survives a squash byte for byte", async () => {
  const bytes = Buffer.from(Array.from({ length: 2048 }, (_, n) => (n * 7919 + (n >> 3)) % 256))
  const feat = [{ "f.txt": line(5, "X5"), "b.bin": bytes }, { "f.txt": LINES }]
  await landed({ feat, main: [{ "f.txt": line(5, "M5") }] }, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(readFileSync(join(it.path, "b.bin")).equals(bytes)).toBe(true)
  })
})

test("M09: both replace a binary file", async () => {
  const bin = (n: number) => ({ "b.bin": Buffer.from([0, n, 0, n]) })
  await landed({ base: bin(1), feat: [bin(2)], main: [bin(3)] }, (_, landing) => {
    expect(landing.outcome).toBe("SQUASH_CONFLICT")
    expect(kinds(landing)).toEqual(["b.bin: binary"])
  })
})

test("M10: a renamed file takes the target's edit along", async () => {
  const feat = [{ "f.txt": null, "g.txt": LINES }]
  await landed({ feat, main: [{ "f.txt": line(2, "M2") }] }, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.files()).toEqual({ "README.md": "hello", "g.txt": line(2, "M2").trim() })
  })
})

test.each([
  ["M12: deleted here, edited there", [{ "f.txt": null }], [{ "f.txt": line(2, "M2") }]],
  ["M13: edited here, deleted there", [{ "f.txt": line(2, "X2") }], [{ "f.txt": null }]],
])("%s", async (_, feat: Files[], main: Files[]) => {
  await landed({ feat, main }, (it, landing) => {
    expect(landing.outcome).toBe("SQUASH_CONFLICT")
    expect(kinds(landing)).toEqual(["f.txt: modify/delete"])
    expect(it.history()).toEqual(["commit", "M0", "M1"])
  })
})

test("M15: line ends stay as they are, also of new files and through a squash", async () => {
  const crlf = LINES.replaceAll("\n", "\r\n")
  const story = {
    base: { "crlf.txt": crlf },
    feat: [
      { "f.txt": line(5, "X5"), "crlf.txt": crlf.replace("l3", "X3") },
      { "f.txt": LINES, "new.txt": "a\r\nb\r\n" },
    ],
    main: [{ "f.txt": line(5, "M5") }],
  }
  await landed(story, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    const read = (path: string) => readFileSync(join(it.path, path), "utf8")
    expect(read("crlf.txt")).toBe(crlf.replace("l3", "X3"))
    expect(read("new.txt")).toBe("a\r\nb\r\n")
  })
})

test("M17, M33, M34: the user's diff settings, failing hooks and a missing signing key do not matter [24.1]", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": LINES }, "M0")
  for (const [key, value] of [
    ["diff.noprefix", "true"],
    ["color.ui", "always"],
    ["diff.external", "/bin/false"],
    ["commit.gpgSign", "true"],
    ["user.signingKey", "missing"],
    ["status.branch", "true"],
    ["core.autocrlf", "false"],
  ])
    repo.git("config", key!, value!)
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  for (const [n, text] of [line(5, "X5"), LINES].entries()) {
    repo.write({ "f.txt": text, "n.txt": `n${n}` }, worktree)
    repo.gitIn(worktree, "add", "--all")
    repo.gitIn(worktree, "commit", "--quiet", "--no-gpg-sign", "--message", `A${n}`)
  }
  for (const hook of ["pre-commit", "commit-msg", "reference-transaction", "post-index-change"])
    writeFileSync(join(repo.path, ".git/hooks", hook), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
  repo.write({ "left.txt": "left" }, worktree)
  const id = it.submit({ branch: "feat" })
  repo.write({ "f.txt": line(5, "M5") })
  repo.git("add", "--all")
  repo.git(
    "-c",
    "core.hooksPath=/dev/null",
    "commit",
    "--quiet",
    "--no-gpg-sign",
    "--message",
    "M1",
  )
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()).toMatchObject({ "n.txt": "n1", "left.txt": "left" })
})

test("M18: of a target that was moved back, only the task's own work lands [2.1]", async () => {
  using repo = new TestRepo()
  const m0 = repo.tip("HEAD")
  repo.commit({ m1: "m1" }, "M1")
  const base = repo.commit({ m2: "m2" }, "M2")
  await using it = new LandingTest(repo)
  repo.commit({ a1: "a1" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat", base })
  repo.git("reset", "--quiet", "--hard", m0)
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(it.history()).toEqual(["commit", "A1"])
  expect(Object.keys(it.files())).toEqual(["README.md", "a1"])
})

test("a target that is only behind its upstream is fast-forwarded over it", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const before = it.tip("main")
  const base = repo.commit({ m1: "m1" }, "M1")
  repo.addOrigin()
  repo.git("branch", "--set-upstream-to=origin/main", "main")
  repo.commit({ a1: "a1" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat", base })
  repo.git("reset", "--quiet", "--hard", before)
  const landing = await it.run(id)
  expect(landing.outcome).toBe("LANDED")
  expect(it.history()).toEqual(["commit", "M1", "A1"])
})

test("M21: a commit that was empty on purpose is kept; one that became empty is dropped [17.5]", async () => {
  const feat = [{}, { "f.txt": line(5, "X5") }, { "n.txt": "n" }]
  await landed({ feat, main: [{ "f.txt": line(5, "X5") }] }, (it) => {
    expect(it.history()).toEqual(["commit", "M0", "M1", "A1", "A3"])
  })
})

test.each(["master", "develop"])("M23: lands on %s, and leaves main alone", async (target) => {
  using repo = new TestRepo({ branch: target })
  repo.git("branch", "main")
  await using it = new LandingTest(repo, { target })
  const feat = [line(5, "X5"), LINES]
  repo.commit({ "f.txt": LINES }, "M0")
  const worktree = repo.worktree("feat")
  for (const text of feat) repo.commit({ "f.txt": text, n: text }, "A", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "f.txt": line(5, "M5") }, "M1")
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(it.history(target)).toEqual(["commit", "M0", "M1", "Do it"])
  expect(it.history("main")).toEqual(["commit"])
})

test("a history with merge commits is squashed where it has to be replayed, else landed as it is [17.6]", async () => {
  for (const moves of [true, false]) {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const worktree = repo.worktree("feat")
    repo.commit({ a: "a" }, "A1", worktree)
    repo.gitIn(worktree, "checkout", "--quiet", "-b", "side", "main")
    repo.commit({ b: "b" }, "B1", worktree)
    repo.gitIn(worktree, "checkout", "--quiet", "feat")
    repo.gitIn(worktree, "merge", "--quiet", "--no-ff", "-m", "merge", "side")
    const id = it.submit({ branch: "feat" })
    if (moves) repo.commit({ m: "m" }, "M1")
    expect((await it.run(id)).outcome).toBe("LANDED")
    expect(it.files()).toMatchObject({ a: "a", b: "b" })
    expect(it.history().length).toBe(moves ? 3 : 4)
  }
})

test("M31: without a gate no result is recorded and none is claimed", async () => {
  await landed({ feat: [{ a: "a" }], gate: false }, (it, landing) => {
    expect(landing.outcome).toBe("LANDED")
    expect(it.trace(landing.id).filter((type) => type.startsWith("gate."))).toEqual([])
  })
})

test("hand-backs are counted, the conflict after the last one fails, and the worktree is kept", async () => {
  const story = { feat: [{ "f.txt": "theirs" }], main: [{ "f.txt": "ours" }], handbacksMax: 2 }
  await landed(story, async (it, first, worktree) => {
    const seen = [first]
    for (const _ of [1, 2]) {
      it.resubmit(first.id)
      seen.push(await it.run(first.id))
    }
    expect(seen.map(({ state, handbacks }) => [state, handbacks])).toEqual([
      ["handed_back", 1],
      ["handed_back", 2],
      ["failed", 2],
    ])
    expect(it.task(first.id)).toMatchObject({
      state: "merge_failed",
      reason: { code: "landing", text: expect.stringContaining("conflicts with") },
    })
    expect(existsSync(join(worktree, "f.txt"))).toBe(true)
  })
})

test("work with a resolved conflict lands after its hand-back", async () => {
  const story = { feat: [{ "f.txt": "theirs" }], main: [{ "f.txt": "ours" }] }
  await landed(story, async (it, { id }, worktree) => {
    it.repo.gitIn(worktree, "reset", "--quiet", "--hard", "main")
    it.repo.commit({ "f.txt": "both" }, "A1 again", worktree)
    it.resubmit(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED", handbacks: 1 })
    expect(it.files()["f.txt"]).toBe("both")
  })
})
