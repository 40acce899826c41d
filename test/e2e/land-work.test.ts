/** `coppice land` of work without an agent of ours, in repositories without a configuration. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingPlanDocument } from "../../src/api/wire/landings.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { coppice, type Outcome, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

const MAKEFILE = "test:\n\tgrep -q good feature.txt\n"

/** A repository with a test, and a branch in a worktree of its own. */
class Adopted implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo = new TestRepo()
  readonly worktree: string

  constructor({ gate = true, feature = "good\n" } = {}) {
    const files = { "feature.txt": "good\n", ...(gate && { Makefile: MAKEFILE }) }
    this.repo.commit(files, "M0")
    this.worktree = this.repo.worktree("feat")
    this.repo.commit({ "feature.txt": `${feature}more\n` }, "A1", this.worktree)
    this.repo.commit({ "m.txt": "m\n" }, "M1")
  }

  run(cwd: string, ...args: string[]): Promise<Outcome> {
    return coppice(cwd, args, { env: this.home.env() })
  }

  async json(cwd: string, ...args: string[]) {
    const outcome = await this.run(cwd, ...args, "--json")
    return JSON.parse(outcome.stdout)
  }

  /** Whether both are just as they were: refs but the target, and what is in the worktree. */
  looks() {
    const refs = this.repo.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n")
    const status = this.repo.gitIn(this.worktree, "status", "--porcelain=v2", "--ignored")
    const worktrees = this.repo.git("worktree", "list", "--porcelain").match(/^worktree .*/gm)
    return { refs: refs.filter((ref) => !ref.startsWith("refs/heads/main ")), status, worktrees }
  }

  main(): string[] {
    return this.repo.git("log", "--format=%s", "main").split("\n")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("a branch lands, tested, and stays as it is; its uncommitted files are named and left [19.1]", async () => {
  await using it = new Adopted()
  it.repo.write({ "new.txt": "mine", "feature.txt": "edited" }, it.worktree)
  const before = it.looks()
  const { code, stdout, stderr } = await it.run(it.repo.path, "land", "feat")
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const facts = [/branch +feat \(/, /commits +1/, /gate +make test/, /target +main/]
  for (const fact of [...facts, /left out +2 uncommitted files in/, "new.txt", "gate passed"])
    expect(stdout).toMatch(fact)
  expect(stderr).toContain("git rebase main feat")
  expect(it.main()).toEqual(["A1", "M1", "M0", "commit"])
  expect(it.repo.git("status", "--porcelain")).toBe("")
  expect(it.looks()).toEqual(before)
})

test("a worktree lands by its path, `.` too, and a detached one by its HEAD [19.1]", async () => {
  await using it = new Adopted({ gate: false })
  const order = ["--priority", "2"]
  const task = TaskDocument.parse(await it.json(it.worktree, "land", ".", ...order))
  expect(task).toMatchObject({ agent: null, state: "complete", title: "A1", priority: 2 })
  expect(task.repos).toMatchObject([{ branch: "feat", worktree: it.worktree, target: "main" }])
  it.repo.git("switch", "--quiet", "--create", "mine")
  it.repo.commit({ "own.txt": "o\n" }, "O1")
  const own = await it.run(it.repo.path, "land", ".")
  expect(own.stderr).toContain(`git -C ${it.repo.path} switch main`)
  expect(own.stderr).not.toContain("git branch -D")
  it.repo.git("switch", "--quiet", "main")
  const detached = join(it.repo.folder, "elsewhere")
  it.repo.git("worktree", "add", "--quiet", "--detach", detached, "main")
  it.repo.commit({ "d.txt": "d\n" }, "D1", detached)
  const { code, stdout } = await it.run(it.repo.path, "land", "../elsewhere", "--title", "Codex")
  expect(code).toBe(0)
  expect(stdout).toContain("none: nothing is tested")
  expect(it.main()).toEqual(["D1", "O1", "A1", "M1", "M0", "commit"])
})

test("after a red gate a person repairs the branch, and lands it again by its task [19.2]", async () => {
  await using it = new Adopted({ feature: "bad\n" })
  const { code, stdout, stderr } = await it.run(it.repo.path, "land", "feat")
  expect(code).toBe(1)
  expect(stdout).toMatch(/reason +the gate `make test` exited with 2/)
  expect(stdout).toContain("git rebase main feat")
  expect(stderr).toContain("coppice land 1")
  expect(await it.json(it.repo.path, "why", "1")).toMatchObject({
    unblock: expect.stringContaining("coppice logs 1"),
  })
  expect(it.main()).toEqual(["M1", "M0", "commit"])

  it.repo.commit({ "feature.txt": "good again\n" }, "A2", it.worktree)
  expect((await it.run(it.repo.path, "land", "feat")).stdout).toMatch(/state +✓ complete/)
  expect(await it.json(it.repo.path, "show", "1")).toMatchObject({ state: "complete" })
  expect(it.main()).toEqual(["A2", "A1", "M1", "M0", "commit"])

  it.repo.commit({ "later.txt": "later\n" }, "A3", it.worktree)
  const later = await it.json(it.repo.path, "land", "feat")
  expect(later, "the landed one is over, so this is a new one").toMatchObject({ id: "2" })
  expect(it.main()[0]).toBe("A3")
})

test("work that could only fail is refused at once, in words [19.2]", async () => {
  await using it = new Adopted({ gate: false })
  const { repo, worktree } = it
  const refusals: [string, string, RegExp][] = [
    [repo.path, "main", /main is the target itself/],
    [repo.path, ".", /is on main, which is the target itself/],
    [repo.path, "faet", /no task, branch or worktree `faet`[\s\S]*`feat`/],
    [repo.path, "./nowhere", /no worktree at/],
    [repo.path, "./m.txt", /no worktree at/],
    [repo.path, "m.txt", /no task, branch or worktree `m.txt`/],
    [repo.path, "feat --target nope", /no branch nope[\s\S]*--target/],
  ]
  repo.git("branch", "old", "main~1")
  refusals.push([repo.path, "old", /old has no commits that main does not have/])
  repo.git("branch", "rel(1)", "main")
  refusals.push([repo.path, "old --target rel(1)", /`git log 'rel\(1\)'\.\.<branch>`/])
  for (const [cwd, ref, said] of refusals) {
    const { code, stderr } = await it.run(cwd, "land", ...ref.split(" "))
    expect([ref, code, stderr]).toEqual([ref, 2, expect.stringMatching(said)])
  }
  repo.commit({ "m.txt": "ours\n" }, "A2", worktree)
  expect(() => repo.gitIn(worktree, "rebase", "main")).toThrow()
  const { stderr } = await it.run(worktree, "land", ".")
  expect(stderr).toMatch(/A rebase is in progress/)
  expect(await it.json(repo.path, "ls")).toEqual({ tasks: [] })
})

test("a branch on which a task of ours still works is refused, and the task is named", async () => {
  await using it = new Adopted({ gate: false })
  it.repo.commit({ "feature.txt": "theirs\n" }, "M2")
  expect((await it.run(it.repo.path, "land", "feat")).code).toBe(1)
  const { code, stderr } = await it.run(it.worktree, "land", ".")
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/feat belongs to task 1, which is merge_failed/),
  ])
})

test("--dry-run says what would be done, and changes nothing: no ref, no row, no file [19.4]", async () => {
  await using it = new Adopted()
  const { repo, worktree } = it
  repo.commit({ Makefile: `${MAKEFILE}\n# edited\n` }, "A2", worktree)
  repo.write({ "new.txt": "mine" }, worktree)
  const before = [it.looks(), it.main(), await it.json(repo.path, "ls")]
  const plan = async (...args: string[]) => {
    const document = await it.json(repo.path, "land", ...args, "--dry-run")
    return LandingPlanDocument.parse(document).repos[0]
  }
  const folders = () => readdirSync(repo.folder).sort()
  const there = folders()
  expect(await plan("feat")).toMatchObject({
    branch: "feat",
    target: "main",
    head: repo.tip("feat"),
    base: repo.tip("main"),
    way: "replay",
    commits: 2,
    gateFiles: ["Makefile"],
    removes: [],
    gate: { command: "make test", worktree: null, remembered: null },
    publish: { kind: "checkout", checkout: repo.path },
    leftovers: { land: false, paths: ["new.txt"] },
  })
  const { stdout } = await it.run(repo.path, "land", "feat", "--dry-run")
  for (const said of ["replay of 2 commits", "make test, in a fresh worktree", "note", "left out"])
    expect(stdout).toContain(said)
  expect([it.looks(), it.main(), await it.json(repo.path, "ls")]).toEqual(before)
  expect(folders()).toEqual(there)

  repo.write({ "feature.txt": "the user's edit\n" })
  expect(await plan("feat")).toMatchObject({ publish: { kind: "waits", paths: ["feature.txt"] } })
  repo.git("checkout", "--quiet", "--", "feature.txt")
  repo.commit({ "feature.txt": "theirs\n" }, "M2")
  expect(await plan("feat")).toMatchObject({
    way: "conflict",
    conflicts: [{ path: "feature.txt", kind: "content" }],
    candidate: null,
  })
  repo.git(
    "config",
    "--file",
    join(it.home.path, ".gitconfig"),
    "merge.both.driver",
    "git merge-file --union %A %O %B",
  )
  repo.write({ ".git/info/attributes": "feature.txt merge=both\n" })
  expect(await plan("feat")).toMatchObject({ conflicts: [{ kind: "content", driver: "both" }] })
  repo.git("branch", "ahead", "main")
  repo.git(
    "update-ref",
    "refs/heads/ahead",
    repo.git("commit-tree", "main^{tree}", "-p", "main", "-m", "E"),
  )
  expect(await plan("ahead")).toMatchObject({ way: "nothing" })
})
