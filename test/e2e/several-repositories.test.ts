/** A task with two repositories, from the command line: its work lands in both, or in neither. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { CreatedDocument } from "../../src/api/wire/requests.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { commandLine } from "../support/command-line.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

/** A fleet whose home is `app`, with a second repository, `web`. */
class TwoRepositories extends Fleet {
  readonly web = new TestRepo()

  constructor(web: object = {}) {
    super()
    const sh = { runtime: "command", command: "sh", env: { STEPS: this.steps } }
    const repos = { app: {}, web: { path: this.web.path, ...web } }
    const file = { version: 1, repos, agents: { sh } }
    this.approve(file, "two repositories")
  }

  tips(): string[] {
    return [this.repo, this.web].map((repo) => repo.git("log", "-1", "--format=%s", "main"))
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    this.web[Symbol.dispose]()
  }
}

const BOTH = ["--repo", "app", "--repo", "web", "--title", "Do both"]
const WORK = `
  echo a > a.txt; pwd > "$STEPS/pwd"
  cd "$COPPICE_WORKTREE_PATH_WEB"; echo w > w.txt; git branch --show-current > "$STEPS/branch"`

test("an agent writes in both worktrees, and both land [21.1]", async () => {
  await using fleet = new TwoRepositories({ gate: 'test -f "$COPPICE_WORKTREE_PATH_APP/a.txt"' })
  const task = await fleet.json(TaskDocument, ["run", WORK, ...BOTH])
  expect(task).toMatchObject({
    state: "complete",
    repos: [{ name: "app" }, { name: "web" }],
    landing: { outcome: "LANDED", decided: true },
  })
  expect(task.landing?.repos.map(({ name, published }) => [name, published])).toEqual([
    ["app", true],
    ["web", true],
  ])
  expect(fleet.tips()).toEqual(["agent: Do both", "agent: Do both"])
  expect(fleet.noted("branch")[0]).toMatch(/^agent\/sh\//)
  expect(fleet.noted("pwd")[0]).toContain("/app.worktrees/")
  for (const repo of [fleet.repo, fleet.web]) {
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
    expect(repo.git("status", "--porcelain")).toBe("")
  }
})

test("one checkout is in the way: neither lands until it is clean, and why says which [21.1]", async () => {
  await using fleet = new TwoRepositories()
  writeFileSync(join(fleet.web.path, "w.txt"), "the user's")
  const before = fleet.tips()
  const id = await fleet.start(WORK, ...BOTH)
  await fleet.until(id, ({ landing }) => landing?.outcome === "DIRTY_MAIN")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why).toMatchObject({ paths: ["w.txt"] })
  expect(why.waitingFor).toContain(fleet.web.path)
  expect(fleet.tips()).toEqual(before)
  fleet.web.write({ "w.txt": null })
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.tips()).toEqual(["agent: Do both", "agent: Do both"])
})

test("each repository is shown with its settings; one that is named twice counts once", async () => {
  await using fleet = new TwoRepositories({ gate: "true" })
  const { taken } = CreatedDocument.parse(
    await fleet.client.create({ prompt: "true", repos: ["web", "app"] }),
  )
  expect(taken).toMatchObject({ repo: "web", gate: "true" })
  expect(taken.repos.map(({ name, gate }) => [name, gate])).toEqual([
    ["web", "true"],
    ["app", null],
  ])
  const shown = await fleet.coppice("run", "true", "--detach", ...BOTH)
  expect(shown.stdout).toMatch(/target +main of app\n.*setup[^]*target +main of web\n/)
  const twice = await fleet.coppice("run", "x", "--repo", "app", "--repo", "app", "--json")
  expect([twice.code, JSON.parse(twice.stdout)]).toMatchObject([
    2,
    { error: { code: "repo.repeated" } },
  ])
})

test("a task takes the repository around the current folder, or asks which one [21.6]", async () => {
  await using fleet = new TwoRepositories()
  const at = ["--home", fleet.repo.path, "--json"]
  const run = async (cwd: string, ...args: string[]) =>
    await coppice(cwd, ["run", "echo x > x.txt", ...args, ...at], { env: fleet.env })
  const here = await run(fleet.web.path)
  expect(JSON.parse(here.stdout)).toMatchObject({ repos: [{ name: "web" }] })

  const refused = await run(fleet.home.path)
  expect(refused.code).toBe(2)
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: "repo.unclear",
    message: "Which repository is the task for: app, web?",
    hints: ["`--repo app`", "`--repo web`"],
  })
  const line = { cwd: fleet.home.path, env: fleet.env, answers: ["web"] }
  const asked = await commandLine(line, "run", "echo y > y.txt", "--home", fleet.repo.path)
  expect(asked).toMatchObject({ exitCode: 0, stdout: /target +main of web/ })
  const added = await coppice(fleet.web.path, ["worktree", "add", "By hand", ...at], fleet)
  expect(JSON.parse(added.stdout)).toMatchObject({ task: { repos: [{ name: "web" }] } })
})

test("a home of one repository takes no task from within another one [21.6]", async () => {
  await using fleet = new Fleet()
  using other = new TestRepo()
  const env = { ...fleet.env, COPPICE_HOME: fleet.repo.path }
  for (const command of [
    ["run", "echo x > x.txt"],
    ["worktree", "add", "By hand"],
  ]) {
    const refused = await coppice(other.path, [...command, "--json"], { env })
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: "repo.unclear",
      message: `${fleet.repo.path} has no repository ${other.path}. Which repository is the task for: app?`,
      hints: ["`--repo app`", `\`--home ${other.path}\` works in that repository itself.`],
    })
  }
  expect(await coppice(fleet.home.path, ["run", "echo x > x.txt"], { env })).toMatchObject({
    code: 0,
  })
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).toContain("x.txt")
})

test("a repository in a home's folder belongs to it once approved; a first task elsewhere there names that home [21.7]", async () => {
  await using fleet = new Fleet()
  const around = join(fleet.home.path, "around")
  for (const name of ["app", "web", "other"]) {
    fleet.repo.git("clone", "--quiet", fleet.repo.path, join(around, name))
    rmSync(join(around, name, "coppice.yml"))
  }
  const sh = { runtime: "command", command: "sh" }
  const file = { version: 1, repos: { app: { path: "app" }, web: { path: "web" } }, agents: { sh } }
  writeFileSync(join(around, "coppice.yml"), JSON.stringify(file))
  expect(await coppice(around, ["trust", "--yes"], { env: fleet.env })).toMatchObject({ code: 0 })
  const run = async (place: string, ...args: string[]) =>
    await coppice(join(around, place), ["run", "echo x > x.txt", ...args], { env: fleet.env })

  expect((await run("web")).stdout).toMatch(/target +main of web\n/)
  expect((await run(".")).stderr).toContain("Which repository is the task for: app, web?")
  const init = await coppice(join(around, "web"), ["init"], { env: fleet.env })
  expect(init.stderr).toContain(`\`coppice init --home ${join(around, "web")}\` makes a home`)
  const note = `note +this home is inside another one: .--home ${around}. names that one`
  const asOther = ["--with", "sh", "--detach"]
  expect((await run("other", ...asOther)).stdout).toMatch(RegExp(note))
  expect((await run("other", ...asOther)).stdout).not.toMatch(RegExp(note))

  const one = { version: 1, repos: { app: { path: "app" } }, agents: { sh } }
  writeFileSync(join(around, "coppice.yml"), JSON.stringify(one))
  expect(await coppice(around, ["trust", "--yes"], { env: fleet.env })).toMatchObject({ code: 0 })
  expect((await run("web", ...asOther)).stdout).toMatch(RegExp(note))
  for (const home of [around, join(around, "other"), join(around, "web")])
    await coppice(home, ["down"], { env: fleet.env })
})

test("no spelling of a repository's path leads past its gate and approval [21.8]", async () => {
  await using fleet = new Fleet()
  using other = new TestRepo()
  const link = join(fleet.repo.folder, "link")
  symlinkSync(fleet.repo.path, link)
  const worktree = fleet.repo.worktree("somebody")
  for (const name of ["packages", "broken/.git"])
    mkdirSync(join(fleet.repo.path, name), { recursive: true })
  const roots = [fleet.repo.path, `../${basename(fleet.repo.path)}`, link, "packages", worktree]
  const sh = { runtime: "command", command: "sh" }
  const agentAt = (root: string, n: number) => [`a${n}`, { ...sh, working_directory: { root } }]
  const agents = Object.fromEntries([...roots, "broken"].map(agentAt))
  const repos = { app: { gate: "exit 7", approve: true } }
  fleet.approve({ version: 1, repos, agents }, "configure")
  const before = fleet.repo.git("rev-parse", "main")
  const ids = roots.map((_, n) => fleet.start("echo x > x.txt", "--agent", `a${n}`))
  for (const id of await Promise.all(ids)) {
    expect(await fleet.until(id)).toMatchObject({ state: "in_approval", repos: [{ name: "app" }] })
    await fleet.coppice("approve", id)
    await fleet.until(id, ({ landing }) => landing?.outcome === "TARGET_RED")
  }
  expect(fleet.repo.git("rev-parse", "main")).toBe(before)

  const broken = await fleet.coppice("run", "true", "--agent", "a5", "--json")
  expect(JSON.parse(broken.stdout)).toMatchObject({ error: { code: "repo.not_git" } })

  rmSync(link)
  symlinkSync(other.path, link)
  const listed = { ...repos, web: { path: link } }
  fleet.approve({ version: 1, repos: listed, agents: { sh } }, "a link to another one")
  const web = await fleet.start("echo x > x.txt", "--repo", "web")
  expect(await fleet.until(web)).toMatchObject({ state: "complete" })
  rmSync(link)
  symlinkSync(fleet.repo.path, link)
  const refused = await fleet.coppice("run", "true", "--repo", "web", "--json")
  expect([refused.code, JSON.parse(refused.stdout).error]).toMatchObject([
    2,
    { code: "config.invalid", message: /repos.web/ },
  ])
})
