import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { breakGit, installFaultyGit, mendGit } from "../../../test/support/faulty-git.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { forceState } from "../../../test/support/store.ts"
import { workspaceRequest } from "../../../test/support/workspaces.ts"
import { branchRef, type Oid, type TaskId } from "../../base/ids.ts"
import { defaultConfig } from "../../config/parse.ts"
import { findGitDir } from "../git/start/git-dir.ts"
import { addLanding } from "../landing/rows/add.ts"
import { ProcessOwner } from "../process/owner.ts"
import { listEvents } from "../store/events.ts"
import { openDb } from "../store/open.ts"
import { GitWorktreeStrategy } from "../workspaces/git-worktree.ts"
import { keep } from "../workspaces/keep-refs.ts"
import { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { BranchWorkspace } from "../workspaces/workspace.ts"
import { cleanCancelled } from "./clean-cancelled.ts"
import type { CleaningContext } from "./clean-task.ts"
import { addTask } from "./rows/add.ts"
import { findTask } from "./rows/find.ts"
import { startJob } from "./rows/jobs/record.ts"
import { listDueTasks } from "./rows/list-due.ts"
import { recordMade } from "./rows/task-repos/work.ts"
import { recordWorkspace } from "./rows/task-repos/workspace.ts"

const HOME = "/home/of/this/test"
const KILLED = "refs/heads/killed"
const LATER = "refs/heads/main"

/** A task that was cancelled in the middle of its job, in a repository of its own. */
class CancelledTask implements Disposable {
  readonly repo = new TestRepo()
  readonly db = openDb(":memory:")
  readonly strategy = new GitWorktreeStrategy({ home: HOME, db: this.db })
  readonly id: TaskId
  readonly stop = new AbortController()
  teardown: string | undefined
  findAgent: CleaningContext["findAgent"] = () => defaultConfig("app").agents[0]

  constructor() {
    const words = { title: "Fix the typo", prompt: "Fix it.", agent: "claude", workItem: null }
    const repos = [{ name: "app", path: this.repo.path, target: "main" }]
    this.id = addTask(this.db, { ...words, land: "merge", repos }, 1000).id
    startJob(this.db, this.id, 1000)
    forceState(this.db, this.id, "cancelled")
  }

  /** A worktree of the task, as a set-up leaves it that died before recording it. */
  setUp(task = this.id, strategy = this.strategy): Promise<BranchWorkspace> {
    return strategy.setup(workspaceRequest(this.repo, { task }))
  }

  record({ branch, worktree, base, placed }: BranchWorkspace): void {
    const entry = findGitDir(worktree)
    recordWorkspace(this.db, { task: this.id, name: "app", branch, worktree, entry, base, placed })
  }

  /** A landing of the task that has taken its snapshot. */
  async land(head: Oid): Promise<void> {
    const repos = [{ name: "app", path: this.repo.path, target: branchRef("main") }]
    addLanding(this.db, { task: this.id, repos }, 1000)
    const owner = { home: HOME, task: this.id }
    await keep(this.repo.path, owner, { kept: "head", commit: head })
    await keep(this.repo.path, owner, { kept: "candidate", commit: head })
  }

  async clean(): Promise<void> {
    const { db, strategy: workspaces, findAgent } = this
    const world = { nowMs: () => 2000, dice: () => 0, point: () => {} }
    const strategy = { workspaces, disposables: workspaces }
    const context = { db, world, home: HOME, ...strategy, taskLock: new TaskLock(), findAgent }
    const [repo] = defaultConfig("app").repos
    await using owner = new ProcessOwner({ mark: `clean-cancelled-${process.pid}` })
    const commands = {
      exchangeCommits: async () => {},
      owner,
      repoConfig: () => ({ ...repo!, teardown: this.teardown }),
      environment: () => ({ PATH: process.env["PATH"] ?? "", HOME: this.repo.folder }),
    }
    await cleanCancelled({ ...context, ...commands }, this.id, this.stop.signal)
  }

  /** Branches except the target, our refs, and worktrees except the main one. */
  left(): string[] {
    const refs = this.repo.git("for-each-ref", "--format=%(refname)").split("\n")
    const worktrees = this.repo.git("worktree", "list", "--porcelain").match(/^worktree .*/gm) ?? []
    return [...refs.filter((ref) => ref !== "refs/heads/main"), ...worktrees.slice(1)]
  }

  events() {
    const all = listEvents(this.db, { after: 0, task: this.id, limit: 100 })
    return all.filter(({ type }) => /^(workspace|rescue)\./.test(type))
  }

  [Symbol.dispose]() {
    this.repo[Symbol.dispose]()
  }
}

const REMOVED = { type: "workspace.removed", data: { notices: [] } }
const keptFor = (why: string) => ({
  type: "workspace.kept",
  data: { notices: [expect.stringContaining(why)] },
})

test("a worktree whose set-up was never recorded is removed with its branch, and nothing is due then", async () => {
  using task = new CancelledTask()
  const { worktree } = await task.setUp()
  await task.clean()
  expect(task.left()).toEqual([])
  expect(existsSync(worktree)).toBe(false)
  expect(task.events()).toMatchObject([REMOVED])
  expect(listDueTasks(task.db, 0)).toEqual([])
})

test("a branch that a user checked out there stays, even the target", async () => {
  using task = new CancelledTask()
  const { repo } = task
  const { worktree } = await task.setUp()
  repo.git("switch", "--quiet", "-c", "elsewhere")
  repo.gitIn(worktree, "switch", "--quiet", "main")
  await task.clean()
  expect(existsSync(worktree)).toBe(false)
  expect(repo.git("branch", "--format=%(refname:short)").split("\n")).toEqual(["elsewhere", "main"])
})

test("files of a killed checkout are not work and need no rescue", async () => {
  using task = new CancelledTask()
  const { worktree } = await task.setUp()
  const own = task.repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  rmSync(join(own, "index"))
  writeFileSync(join(own, "coppice-checkout.json"), JSON.stringify({ pid: 0 }))
  writeFileSync(join(worktree, "README.md"), "hel")
  await task.clean()
  expect(task.left()).toEqual([])
  expect(task.events()).toMatchObject([REMOVED])
})

test("work in a worktree that lost its index is still saved", async () => {
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  rmSync(join(task.repo.gitIn(workspace.worktree, "rev-parse", "--absolute-git-dir"), "index"))
  task.repo.write({ "work.txt": "work" }, workspace.worktree)
  await task.clean()
  expect(task.repo.git("show", `refs/coppice/rescue/${task.id}/1:work.txt`)).toBe("work")
})

test.each([
  ["goes", "it is where it was made", () => {}],
  ["stays", "it has moved", (repo: TestRepo) => repo.git("update-ref", KILLED, LATER)],
  ["stays", "it is checked out", (repo: TestRepo) => repo.git("switch", "--quiet", "killed")],
])(
  "the branch of a set-up that was killed before there was a worktree %s when %s",
  async (what, _, act) => {
    using task = new CancelledTask()
    const { repo, id, db } = task
    recordMade(db, { task: id, name: "app", branch: "killed", at: repo.tip("main") })
    repo.git("branch", "killed")
    repo.git("branch", "agent/coder/1-fix-the-typo") // a user's branch, with the name that the pattern gives
    repo.commit({ "late.txt": "late" })
    act(repo)
    await task.clean()
    const branches = task.left().filter((one) => one.startsWith("refs/heads/"))
    expect(branches).toEqual([
      "refs/heads/agent/coder/1-fix-the-typo",
      ...(what === "stays" ? [KILLED] : []),
    ])
  },
)

test.each([
  ["renamed", (repo: TestRepo, worktree: string) => repo.gitIn(worktree, "branch", "-m", "mine")],
  [
    "left for one of its own",
    (repo: TestRepo, worktree: string) => repo.gitIn(worktree, "checkout", "--quiet", "-b", "mine"),
  ],
])("a cancelled task's branch, %s by its agent, goes; its work is saved [26.2]", async (_, act) => {
  using task = new CancelledTask()
  const { repo, id } = task
  const workspace = await task.setUp()
  task.record(workspace)
  const work = repo.commit({ "a.txt": "a" }, "A1", workspace.worktree)
  act(repo, workspace.worktree)
  await task.clean()
  const rescue = `refs/coppice/rescue/${id}/1`
  expect(task.left()).toEqual([rescue])
  expect(repo.tip(rescue)).toBe(work)
})

test("a cancelled task's worktree that was moved goes [26.1]", async () => {
  using task = new CancelledTask()
  const { repo } = task
  const { worktree, ...workspace } = await task.setUp()
  task.record({ ...workspace, worktree })
  repo.git("worktree", "move", worktree, join(repo.folder, "moved"))
  await task.clean()
  expect(task.left()).toEqual([])
  expect(existsSync(join(repo.folder, "moved"))).toBe(false)
})

test("worktrees of another home or another task stay", async () => {
  using task = new CancelledTask()
  await task.setUp((task.id + 1) as TaskId)
  await task.setUp(
    task.id,
    new GitWorktreeStrategy({ home: "/another/home", db: openDb(":memory:") }),
  )
  const before = task.left()
  await task.clean()
  expect(task.left()).toEqual(before)
  expect(before).toHaveLength(4)
})

test("a recorded worktree is removed from the record, and its work saved", async () => {
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  task.repo.write({ "work.txt": "work" }, workspace.worktree)
  await task.clean()
  expect(findTask(task.db, task.id)?.repos[0]).toMatchObject({ worktree: null })
  expect(task.events()).toMatchObject([{ type: "rescue.made" }, REMOVED])
  expect(task.left()).toEqual([`refs/coppice/rescue/${task.id}/1`])
})

test("an upstream base that is ahead of the target is not work to save", async () => {
  using task = new CancelledTask()
  const { repo } = task
  repo.commit({ "theirs.txt": "theirs" })
  repo.addOrigin()
  repo.git("branch", "--set-upstream-to=origin/main", "main")
  repo.git("reset", "--quiet", "--hard", "HEAD~1")
  await task.setUp()
  await task.clean()
  expect(task.events()).toMatchObject([REMOVED])
})

test.each([
  ["cleanup_on_failure", false],
  ["agents.claude", undefined],
] as const)("all stays where the configuration, %s, does not say to clean up", async (why, on) => {
  using task = new CancelledTask()
  const [agent] = defaultConfig("app").agents
  const workspace = { ...agent!.workspace, cleanupOnFailure: false }
  task.findAgent = () => (on === undefined ? undefined : { ...agent!, workspace })
  const { worktree } = await task.setUp()
  await task.clean()
  expect(existsSync(join(worktree, "README.md"))).toBe(true)
  expect(task.events()).toMatchObject([keptFor(why)])
  expect(listDueTasks(task.db, 0)).toEqual([])
})

test("a repository that is gone ends the clean-up with a notice", async () => {
  using task = new CancelledTask()
  task.record(await task.setUp())
  rmSync(task.repo.path, { recursive: true })
  await task.clean()
  expect(task.events()).toMatchObject([keptFor("no longer a repository")])
  expect(listDueTasks(task.db, 0)).toEqual([])
})

test("the clean-up ends with a notice if the folder is no longer a repository", async () => {
  using task = new CancelledTask()
  rmSync(join(task.repo.path, ".git"), { recursive: true })
  await task.clean()
  expect(task.events()).toMatchObject([keptFor("no longer a repository")])
})

test("the refs of its landing are deleted; a snapshot that is nowhere else is saved first", async () => {
  using task = new CancelledTask()
  const tree = task.repo.tip("main^{tree}")
  const head = task.repo.git("commit-tree", tree, "-p", "main", "-m", "snapshot") as Oid
  await task.land(head)
  await task.clean()
  expect(task.left()).toEqual([`refs/coppice/rescue/${task.id}/1`])
  expect(task.repo.tip(`refs/coppice/rescue/${task.id}/1`)).toBe(head)
  expect(task.events()).toMatchObject([{ type: "rescue.made", data: { commit: head } }, REMOVED])
})

test("a snapshot on a branch that was saved with its worktree is not saved twice", async () => {
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  const head = task.repo.commit({ "work.txt": "work" }, "work", workspace.worktree)
  task.repo.write({ "late.txt": "late" }, workspace.worktree)
  await task.land(head)
  await task.clean()
  expect(task.left()).toEqual([`refs/coppice/rescue/${task.id}/1`])
})

test("a worktree that a live task shares is kept, and is no longer recorded for this task", async () => {
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  const words = { title: "Too", prompt: "Too.", agent: "claude", workItem: null }
  const repos = [{ name: "web", path: task.repo.path, target: "main", ...shared(workspace) }]
  const { id } = addTask(task.db, { ...words, land: "merge", repos }, 1000)
  await task.clean()
  expect(task.left()).toEqual([branchRef(workspace.branch), `worktree ${workspace.worktree}`])
  expect(task.events()).toMatchObject([keptFor(`task ${id} works there as well`)])
  expect(findTask(task.db, task.id)?.repos[0]?.worktree).toBeNull()
})

const shared = ({ branch, worktree }: BranchWorkspace) => ({ branch, worktree })

test("its teardown runs once, even if the worktree stays and is cleaned again [28.7]", async () => {
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  const ran = join(task.repo.folder, "ran")
  task.teardown = `echo ran >> '${ran}'; git init -q nested; git -C nested -c user.name=n -c user.email=n \
    commit -q --allow-empty -m own`
  await task.clean()
  expect(task.events().at(-1)).toMatchObject(keptFor("nested"))
  await task.clean()
  expect(readFileSync(ran, "utf8")).toBe("ran\n")
  const torn = { type: "workspace.torn_down", data: { repo: "app" } }
  expect(task.events().filter(({ type }) => type === torn.type)).toMatchObject([torn])
})

test("a daemon that ends during a clean-up has not finished it; the next one does [28.7]", async () => {
  using task = new CancelledTask()
  task.record(await task.setUp())
  task.teardown = "true"
  task.stop.abort(new Error("the daemon ends"))
  await expect(task.clean()).rejects.toThrow("the daemon ends")
  expect(listDueTasks(task.db, 0)).toEqual([{ id: task.id, due: "clean" }])
})

/** Makes git's own folder of a worktree claim the user's checkout as its files. */
function pointAtCheckout({ repo }: CancelledTask, gitDir: string): void {
  writeFileSync(join(gitDir, "gitdir"), `${join(repo.path, ".git")}\n`)
}

test.each(["recorded", "not recorded"])(
  "an agent that points its worktree at the user's checkout loses the user nothing: %s [33.4]",
  async (how) => {
    using task = new CancelledTask()
    const { repo } = task
    const workspace = await task.setUp()
    if (how === "recorded") task.record(workspace)
    repo.write({ "mine.txt": "mine" })
    pointAtCheckout(task, repo.gitIn(workspace.worktree, "rev-parse", "--absolute-git-dir"))
    await task.clean()
    expect(readFileSync(join(repo.path, "mine.txt"), "utf8")).toBe("mine")
    expect(repo.git("branch", "--list", "main")).toContain("main")
    expect(task.events().at(-1)?.type).toMatch(/^workspace\.(kept|removed)$/)
  },
)

test("an agent that invents a worktree of its task at the user's checkout, or at another user's, loses them nothing [33.4]", async () => {
  using task = new CancelledTask()
  const { repo, id } = task
  const persons = repo.worktree("persons")
  const theirs = repo.gitIn(persons, "rev-parse", "--absolute-git-dir")
  const said = JSON.stringify({ home: HOME, task: id, branch: "persons" })
  writeFileSync(join(theirs, "coppice.json"), said)
  const fake = join(repo.path, ".git/worktrees/fake")
  mkdirSync(fake)
  writeFileSync(join(fake, "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(fake, "commondir"), "../..\n")
  writeFileSync(join(fake, "coppice.json"), said)
  pointAtCheckout(task, fake)
  await task.clean()
  expect(existsSync(join(repo.path, "README.md"))).toBe(true)
  expect(existsSync(join(persons, "README.md"))).toBe(true)
  expect(repo.git("branch", "--list", "persons")).toContain("persons")
})

test("the worktree and the branch are removed even if a git is killed during the clean-up [33.5]", async () => {
  using _git = installFaultyGit()
  using task = new CancelledTask()
  const workspace = await task.setUp()
  task.record(workspace)
  task.repo.commit({ "work.txt": "one" }, "work", workspace.worktree)
  task.repo.gitIn(workspace.worktree, "commit", "--quiet", "--amend", "-m", "amended")
  breakGit(task.repo, "killed while it looks")
  await expect(task.clean()).rejects.toMatchObject({ code: "git.failed", transient: true })
  expect(mendGit(task.repo)).toBe(false)
  expect(listDueTasks(task.db, 0)).toEqual([{ id: task.id, due: "clean" }])
  await task.clean()
  expect(task.events().at(-1)).toMatchObject(REMOVED)
  expect(task.left().filter((one) => !one.startsWith("refs/coppice/rescue/"))).toEqual([])
})

test("a branch locked by git, of a set-up that was cut short, is tried again", async () => {
  using task = new CancelledTask()
  const { repo, db, id } = task
  repo.git("branch", "killed")
  recordMade(db, { task: id, name: "app", branch: "killed", at: repo.tip("main") })
  const lock = join(repo.path, ".git/refs/heads/killed.lock")
  writeFileSync(lock, "")
  await expect(task.clean()).rejects.toMatchObject({ transient: true })
  rmSync(lock)
  await task.clean()
  expect(task.left()).toEqual([])
  expect(task.events()).toMatchObject([REMOVED])
})
