/** Replays a history with merges of every kind; the repository itself must not notice. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { TestRepo } from "./support/repo.ts"

const MAIN = resolve(import.meta.dirname, "../replay/main.ts")
const LINES = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n"
const line = (n: number, text: string) => LINES.replace(`l${n}\n`, `${text}\n`)

/** Branches are made and merged by plain git, as people do. */
class History extends TestRepo {
  begin(branch: string, start = "main"): void {
    this.git("checkout", "--quiet", "-b", branch, start)
  }
  /** Merges into main; what git cannot merge, or whatever `edit` changes, is committed by hand. */
  merge(branches: string | readonly string[], edit?: () => void): void {
    const names = [branches].flat()
    this.git("checkout", "--quiet", "main")
    const merge = ["merge", "--quiet", "--no-ff", "-m", `merge ${names.join(" ")}`]
    if (!edit) return void this.git(...merge, ...names)
    try {
      this.git(...merge, "--no-commit", ...names)
    } catch {
      // a conflict, which `edit` resolves
    }
    edit()
    this.git("add", "--all")
    this.git("commit", "--quiet", "--no-edit")
  }
  on(branch: string, ...args: Parameters<TestRepo["commit"]>): void {
    this.git("checkout", "--quiet", branch)
    this.commit(...args)
  }
}

/** The kinds of merges, oldest first; each begins at the target as it is then. */
const KINDS: Readonly<Record<string, (repo: History) => void>> = {
  "a topic that the target did not move away from": (repo) => {
    repo.begin("fast")
    repo.commit({ a: "1" })
    repo.commit({ a: "2" })
    repo.merge("fast")
  },
  "both changed one file, in different places": (repo) => {
    repo.begin("apart")
    repo.commit({ "f.txt": line(2, "A2") })
    repo.on("main", { "f.txt": line(8, "M8") })
    repo.merge("apart")
  },
  "a topic with a merge of its own": (repo) => {
    repo.begin("side")
    repo.commit({ side: "s" })
    repo.begin("own", "main")
    repo.commit({ own: "o" })
    repo.git("merge", "--quiet", "--no-ff", "-m", "own merge", "side")
    repo.on("main", { m1: "m" })
    repo.merge("own")
  },
  "commits that undo each other": (repo) => {
    repo.begin("undone")
    repo.commit({ undone: "u" })
    repo.commit({ undone: null })
    repo.on("main", { m2: "m" })
    repo.merge("undone")
  },
  "a commit that is empty on purpose": (repo) => {
    repo.begin("empty")
    repo.commit({})
    repo.on("main", { m3: "m" })
    repo.merge("empty")
  },
  "a change that the target has made too": (repo) => {
    repo.begin("same")
    repo.commit({ same: "s" })
    repo.on("main", { same: "s", m4: "m" })
    repo.merge("same")
  },
  "a commit that the target has, merged all the same": (repo) => {
    const merge = ["commit-tree", "main^{tree}", "-p", "main", "-p", "fast", "-m", "merge again"]
    repo.git("merge", "--quiet", "--ff-only", repo.git(...merge))
  },
  "a conflict that a person resolved": (repo) => {
    repo.begin("conflict")
    repo.commit({ "g.txt": line(5, "A5") })
    repo.on("main", { "g.txt": line(5, "M5") })
    repo.merge("conflict", () => repo.write({ "g.txt": line(5, "both") }))
  },
  "a clean merge that a person added to": (repo) => {
    repo.begin("evil")
    repo.commit({ evil: "e" })
    repo.on("main", { m5: "m" })
    repo.merge("evil", () => repo.write({ added: "by hand" }))
  },
  "a change that the target took and the topic went on with": (repo) => {
    repo.begin("further")
    repo.commit({ "h.txt": line(5, "X5") })
    repo.commit({ "h.txt": line(5, "Y5") })
    repo.on("main", { "h.txt": line(5, "X5") })
    repo.merge("further", () => repo.write({ "h.txt": line(5, "Y5") }))
  },
  "the same, resolved in another way": (repo) => {
    repo.begin("other-way")
    repo.commit({ "i.txt": line(5, "X5") })
    repo.commit({ "i.txt": line(5, "Y5") })
    repo.on("main", { "i.txt": line(5, "X5") })
    repo.merge("other-way", () => repo.write({ "i.txt": line(5, "Z5") }))
  },
  "a change that the target took and the topic took back": (repo) => {
    repo.begin("back")
    repo.commit({ taken: "t" })
    repo.commit({ taken: null, back: "b" })
    repo.on("main", { taken: "t" })
    repo.merge("back")
  },
  "two lines that had merged each other": (repo) => {
    repo.begin("cross")
    repo.commit({ crossed: "c" })
    const early = repo.tip("HEAD")
    repo.on("main", { m6: "m" })
    const before = repo.tip("main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge cross early", early)
    repo.git("checkout", "--quiet", "cross")
    repo.git("merge", "--quiet", "--no-ff", "-m", "cross merges", before)
    repo.commit({ crossed: null, cross: "c" })
    repo.on("main", { m7: "m" })
    repo.merge("cross")
  },
  "three at once": (repo) => {
    for (const name of ["one", "two"]) {
      repo.begin(name, "main")
      repo.commit({ [name]: name })
    }
    repo.merge(["one", "two"])
  },
  "a history of its own": (repo) => {
    repo.git("checkout", "--quiet", "--orphan", "stranger")
    repo.commit({ stranger: "s" })
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--allow-unrelated-histories", "-m", "merge stranger", "stranger")
  },
}

test("each recorded merge is landed again, and counted by its result", async () => {
  using repo = new History()
  repo.commit({ "f.txt": LINES, "g.txt": LINES, "h.txt": LINES, "i.txt": LINES }, "M0")
  repo.git("tag", "start")
  for (const make of Object.values(KINDS)) make(repo)
  const before = everyByte(repo.path)
  const args = [MAIN, repo.path, "--range", "start..main", "--json"]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  const time = { median: expect.any(Number), p95: expect.any(Number) }
  expect(JSON.parse(stdout)).toEqual({
    repository: "repo",
    range: "start..main",
    git: expect.stringMatching(/^\d/),
    merges: 14,
    skipped: { octopus: 1, unrelated: 1 },
    landed: 9,
    contained: 4,
    conflicts: { all: 1, inGitToo: 1, ofOursAlone: 0 },
    failed: 0,
    trees: { equal: 10, edited: 1, resolved: 1, differs: 1 },
    landedWhereGitConflicts: 2,
    landingMs: time,
    plainMs: time,
    ratio: expect.any(Number),
    noteworthy: ["evil", "other-way", "back"].map((name, n) => ({
      merge: repo.git("log", "-1", "--format=%H", `--grep=^merge ${name}$`, "main"),
      subject: `merge ${name}`,
      finding: ["edited", "resolved", "differs"][n],
      reason: null,
    })),
  })
  expect(stderr).toContain("15 of 15 merges")
  expect(everyByte(repo.path)).toEqual(before)
})

test("the table for people says the same as the document", async () => {
  using repo = new History()
  repo.begin("evil")
  repo.commit({ evil: "e" })
  repo.merge("evil", () => repo.write({ added: "by hand" }))
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, repo.path])
  expect(stdout).toMatch(/^landed +1, of which git merge conflicts in 0$/m)
  expect(stdout).toMatch(/^recorded trees +0 of 1$/m)
  expect(stdout).toMatch(/^[0-9a-f]{12} merge evil\n {2}as git merges it; the recorded merge was/m)
})

/** With git's own folder. */
function everyByte(path: string): Record<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, "latin1")]),
  )
}

test.each([
  ["no repository", [], "Name one repository."],
  ["a range that git does not know", ["--range", "no..where"], "no..where"],
])("%s is refused in words, with the usage", async (_, args, said) => {
  using repo = new TestRepo()
  const all = [MAIN, ...(args.length > 0 ? [repo.path] : []), ...args]
  const failed = await promisify(execFile)(process.execPath, all).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
  expect(failed).toMatchObject({ stderr: expect.stringContaining("usage: npm run replay") })
  expect(failed).not.toMatchObject({ stderr: expect.stringContaining(" at ") })
})
