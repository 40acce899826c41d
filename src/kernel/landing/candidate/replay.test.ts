import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"

/** A commit object's text, one char per raw byte. */
const raw = (repo: TestRepo, name: string): string =>
  execFileSync("git", ["cat-file", "commit", name], { cwd: repo.path, encoding: "latin1" })

test("author, dates, message and encoding are kept byte for byte; parents and committer are new [17.5]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const tree = repo.tip("feat^{tree}")
  const object = [
    `tree ${tree}`,
    `parent ${repo.tip("feat~1")}`,
    "author J\xf6rg \xc4. <j@example.com> 1234567890 -0730",
    "committer Someone <s@example.com> 1234567891 +0545",
    "encoding ISO-8859-1",
    "",
    "subject in \xfcmlauts  ",
    "",
    "  body\t",
    "",
    "# no comment",
    "",
    "",
  ].join("\n")
  const args = ["hash-object", "-t", "commit", "-w", "--stdin"]
  const input = Buffer.from(object, "latin1")
  const oid = execFileSync("git", args, { cwd: repo.path, input, encoding: "utf8" }).trim()
  repo.gitIn(worktree, "reset", "--quiet", "--hard", oid)
  const id = it.submit({ branch: "feat" })
  const onto = repo.commit({ "m.txt": "m" }, "M1")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })

  const [head, ...message] = raw(repo, "main").split("\n\n")
  const [, ...originalMessage] = object.split("\n\n")
  expect(message).toEqual(originalMessage)
  const [, parent, author, committer, encoding] = head!.split("\n")
  expect([parent, author, encoding]).toEqual([
    `parent ${onto}`,
    "author J\xf6rg \xc4. <j@example.com> 1234567890 -0730",
    "encoding ISO-8859-1",
  ])
  expect(committer).toBe(`committer c <c@example.com> ${it.nowMs / 1000} +0000`)
})

test("a handmade commit without an author lands with an unknown author", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const input = `tree ${repo.tip("feat^{tree}")}\nparent ${repo.tip("feat~1")}\n\nby hand\n`
  const args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
  const oid = execFileSync("git", args, { cwd: repo.path, input, encoding: "utf8" }).trim()
  repo.gitIn(worktree, "reset", "--quiet", "--hard", oid)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m" }, "M1")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(raw(repo, "main")).toContain("\nauthor unknown <> 0 +0000\n")
  expect(repo.git("log", "-1", "--format=%s", "main")).toBe("by hand")
})

test("a squash has the last author and date, and names what it stands for", async () => {
  using repo = new TestRepo()
  repo.commit({ f: "1\n2\n3\n" }, "M0")
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ f: "1\nX\n3\n" }, "first: \u00fc", worktree)
  repo.commit({ f: "1\n2\n3\n", n: "n" }, "second", worktree)
  const date = repo.git("log", "-1", "--format=%at %an <%ae>", "feat")
  const id = it.submit({ branch: "feat", title: "Gr\u00fc\u00dfe" })
  repo.commit({ f: "1\nM\n3\n" }, "M1")
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(repo.git("log", "-1", "--format=%at %an <%ae>", "main")).toBe(date)
  const lines = repo.git("log", "-1", "--format=%B", "main").split("\n")
  expect(lines[0]).toBe("Gr\u00fc\u00dfe")
  expect(lines.slice(-2).map((line) => line.slice(15))).toEqual(["first: \u00fc", "second"])
})

test("a squash names its other authors, and those that an earlier squash named [17.6]", async () => {
  using repo = new TestRepo()
  repo.commit({ f: "1\n2\n3\n" }, "M0")
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const commit = (name: string, message: string, text: string) => {
    const author = `${name} <${name.toLowerCase()}@example.com>`
    writeFileSync(join(worktree, "f"), text)
    repo.gitIn(worktree, "commit", "--quiet", "--all", `--author=${author}`, "-m", message)
  }
  commit("Ada", "first\n\nCo-authored-by: Bob <bob@example.com>", "1\nX\n3\n")
  commit(
    "Eve",
    "second\n\nCo-authored-by: Quoted <quoted@example.com>\n\nis a trailer",
    "1\nY\n3\n",
  )
  commit("Ada", "third", "1\nZ\n3\n")
  commit("Zoe", "fourth\n\nCo-Authored-By: Eve <eve@example.com>", "1\n2\n3\n4\n")
  const id = it.submit({ branch: "feat" })
  repo.commit({ f: "1\nM\n3\n" }, "M1")
  expect(await it.run(id)).toMatchObject({ outcome: "LANDED" })
  expect(repo.git("log", "-1", "--format=%an", "main")).toBe("Zoe")
  const named = "--format=%(trailers:key=Co-authored-by,valueonly)"
  expect(repo.git("log", "-1", named, "main").trim().split("\n")).toEqual([
    "Ada <ada@example.com>",
    "Bob <bob@example.com>",
    "Eve <eve@example.com>",
  ])
})

test("attributes come from the target, and a merge driver that merges nothing leaves a conflict", async () => {
  using repo = new TestRepo()
  repo.git("config", "merge.mine.driver", `touch ${repo.folder}/ran`)
  repo.commit({ f: "1\n", ".gitattributes": "f merge=mine\n" }, "M0")
  await using it = new LandingTest(repo)
  repo.commit({ f: "2\n" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  repo.commit({ f: "3\n" }, "M1")
  expect(await it.run(id)).toMatchObject({ state: "handed_back", outcome: "SQUASH_CONFLICT" })
})

test("a change that is on the target already, and that the agent took back on purpose, is taken back", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "x.txt": "x" }, "add x", worktree)
  repo.commit({ "x.txt": null, "y.txt": "y" }, "take x back, add y", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "x.txt": "x" }, "add x too")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(Object.keys(it.files()).sort()).toEqual(["README.md", "y.txt"])
})

test("a task and its target that have merged each other: what the task undid later stays undone", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const early = repo.commit({ "early.txt": "e" }, "A1", worktree)
  const base = repo.commit({ m1: "m" }, "M1")
  repo.git("merge", "--quiet", "--no-ff", "-m", "merge A1", early)
  repo.gitIn(worktree, "merge", "--quiet", "--no-ff", "-m", "merge M1", base)
  repo.commit({ "early.txt": null, "late.txt": "l" }, "A2", worktree)
  const id = it.submit({ branch: "feat", base })
  repo.commit({ m2: "m" }, "M2")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(Object.keys(it.files())).toEqual(["README.md", "late.txt", "m1", "m2"])
  const message = repo.git("log", "-1", "--format=%B", "main")
  expect(message.match(/^\* .*/gm)?.map((line) => line.slice(15))).toEqual(["merge M1", "A2"])
})

test("commits that undo each other change nothing, even on a target that moved on", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  for (const files of [{ a: "a" }, { a: null }]) repo.commit(files, "A", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ m: "m" }, "M1")
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
  expect(it.history()).toEqual(["commit", "M1"])
})
