/** `run --from`: a task goes on with existing work, and leaves a person's branch alone. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { GitHubServer } from "../support/github-server.ts"

/** @returns the tip of the branch `feature`, which has one commit and is checked out nowhere. */
function makeFeature(fleet: Fleet): string {
  const worktree = fleet.repo.worktree("feature")
  fleet.repo.commit({ "feature.txt": "begun\n" }, "begin a feature", worktree)
  fleet.repo.git("worktree", "remove", "--force", worktree)
  return fleet.repo.tip("feature")
}

test("the work of a branch and the agent's land together, and the branch stays as it is [25.14, 25.15]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const tip = makeFeature(fleet)
  fleet.repo.commit({ "other.txt": "other\n" }, "the target moves on")
  const args = ["run", "--from", "feature", "cat feature.txt > end.txt"]
  const task = await fleet.json(TaskDocument, args)
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(task.repos[0]?.branch).not.toBe("feature")
  expect(fleet.repo.git("show", "main:end.txt")).toBe("begun")
  expect(fleet.repo.git("log", "--format=%s", "main")).toContain("begin a feature")
  expect(fleet.repo.tip("feature")).toBe(tip)
  expect(await fleet.coppice("delete", task.id, "--yes")).toMatchObject({ code: 0 })
  expect(fleet.repo.tip("feature")).toBe(tip)
})

test("a commit is a place to go on from, and one without common history is refused [25.14, 25.17]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const tip = makeFeature(fleet)
  const short = ["run", "--from", tip.slice(0, 9), "--land", "none", "echo more > more.txt"]
  const task = await fleet.json(TaskDocument, short)
  const { branch } = task.repos[0]!
  expect(fleet.repo.git("log", "--format=%H", branch!)).toContain(tip)
  expect((await fleet.coppice("diff", task.id)).stdout).toContain("begun")
  const tree = fleet.repo.git("rev-parse", "main^{tree}")
  const alone = fleet.repo.git("commit-tree", tree, "-m", "alone")
  const refused = [
    [["--from", alone], /no history in common/],
    [["--from", "nowhere"], /no branch or commit nowhere/],
    [["--copy"], /`--copy` needs `--from`/],
  ] as const
  for (const [options, stderr] of refused)
    expect(await fleet.coppice("run", "true", ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr),
    })
})

test("a branch that is checked out is refused with its place, or copied as asked [25.16]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const worktree = fleet.repo.worktree("feature")
  fleet.repo.commit({ "feature.txt": "begun\n" }, "begin a feature", worktree)
  const refused = await fleet.coppice("run", "--from", "feature", "echo x > x.txt")
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain(worktree)
  expect(refused.stderr).toContain("--copy")
  const args = ["run", "--from", "feature", "--copy", "echo x > x.txt"]
  expect(await fleet.json(TaskDocument, args)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "main:feature.txt")).toBe("begun")
  expect(fleet.repo.gitIn(worktree, "symbolic-ref", "HEAD")).toBe("refs/heads/feature")
})

async function startForge() {
  const server = await GitHubServer.start()
  const fleet = new Fleet()
  fleet.extra["GH_BOT_TOKEN"] = "token-of-robot"
  const origin = fleet.repo.addOrigin()
  const { pulls, issues } = server.state
  pulls.remote = origin
  const at = { type: "github", project: "acme/demo", api_url: server.url }
  const forge = { ...at, token_variable: "GH_BOT_TOKEN", poll: "1s" }
  const config: FleetConfig = { repo: { gate: false, forge } }
  fleet.configure(config)
  fleet.repo.git("push", "--quiet", "origin", "main")
  const begin = (name: string, isFork = false) => {
    const worktree = fleet.repo.worktree(name)
    fleet.repo.commit({ "theirs.txt": "theirs\n" }, "their work", worktree)
    const head = fleet.repo.tip(name)
    fleet.repo.git("worktree", "remove", "--force", worktree)
    const { number } = issues.open({ isPull: true, author: "ada", title: "Theirs" })
    fleet.repo.git("push", "--quiet", "origin", name, `${name}:refs/pull/${number}/head`)
    fleet.repo.git("branch", "-D", name)
    fleet.repo.git("update-ref", "-d", `refs/remotes/origin/${name}`)
    const opened = { number, head: name, base: "main", title: "Theirs", body: "", isDraft: false }
    const pull = Object.assign(pulls.open(opened), { isFork })
    return { number: String(number), head, pull }
  }
  const end = async () => {
    await fleet[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { fleet, pulls, begin, [Symbol.asyncDispose]: end }
}

test("a pull request goes on: its branch gets the new commits, and no second one is opened [42.24]", async () => {
  await using world = await startForge()
  const { fleet, pulls, begin } = world
  const { number, head } = begin("theirs")
  const id = await fleet.start("cat theirs.txt > ours.txt", "--from", number)
  const task = await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  expect(task).toMatchObject({ pullRequests: [{ number: Number(number) }] })
  expect(pulls.all).toHaveLength(1)
  expect(pulls.git("show", "theirs:ours.txt")).toBe("theirs")
  expect(pulls.git("merge-base", "--is-ancestor", head, "theirs")).toBe("")
})

test("of a pull request from a fork, or as asked, a copy is made; a closed one is refused [42.25]", async () => {
  await using world = await startForge()
  const { fleet, pulls, begin } = world
  const { number, head } = begin("theirs", true)
  const id = await fleet.start("echo ours > ours.txt", "--from", `#${number}`)
  await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  expect(pulls.all).toHaveLength(2)
  expect(pulls.git("show", `${pulls.all[1]!.head}:theirs.txt`)).toBe("theirs")
  expect(pulls.tip("theirs")).toBe(head)
  pulls.all[0]!.state = "closed"
  const refused = await fleet.coppice("run", "true", "--from", number)
  expect(refused.stderr).toMatch(/is closed[\s\S]*--copy/)
  expect((await fleet.coppice("run", "true", "--from", "99")).stderr).toMatch(/cannot be read/)
})
