/** The life of a worktree: set-up, job, teardown; what its work must be before it goes. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { GitHubServer } from "../support/github-server.ts"

/** Notes each step, and at the teardown the refs that have the work. */
function lived(fleet: Fleet, more: object = {}) {
  const note = `>> ${fleet.steps}/life`
  return {
    gate: false,
    setup: `echo setup ${note}`,
    check: `echo check ${note}`,
    teardown: `echo teardown ${note}; git for-each-ref --contains HEAD --format='%(refname)' > ${fleet.steps}/refs; git ls-remote origin > ${fleet.steps}/remote || true; git rev-parse HEAD > ${fleet.steps}/head`,
    ...more,
  }
}

const JOB = 'echo job >> "$STEPS/life"; echo a > a.txt; git add -A; git commit -qm work'

test("set-up, check, job, teardown, in this order; the work has landed before the worktree goes [28.17]", async () => {
  await using fleet = new Fleet()
  fleet.configure({ repo: lived(fleet) })
  const id = await fleet.start(JOB)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("life")).toEqual(["setup", "check", "job", "teardown"])
  expect(fleet.noted("refs")).toContain("refs/heads/main")
  expect(fleet.leftovers()).toEqual([])
})

test("with `push_target` the work is at the remote before the teardown runs [28.17]", async () => {
  await using fleet = new Fleet()
  fleet.repo.addOrigin()
  fleet.configure({ repo: lived(fleet, { push_target: true }) })
  fleet.repo.git("push", "-q", "origin", "main")
  const id = await fleet.start(JOB)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  const [head] = fleet.noted("head")
  expect(fleet.noted("remote")).toContain(`${head}\trefs/heads/main`)
})

test("a pull request is pushed and merged before its worktree is torn down and goes [28.17]", async () => {
  await using server = await GitHubServer.start()
  await using fleet = new Fleet()
  fleet.extra["GH_BOT_TOKEN"] = "token-of-robot"
  server.state.pulls.remote = fleet.repo.addOrigin()
  server.state.members.add("ada")
  const at = { type: "github", project: "acme/demo", api_url: server.url }
  const forge = { ...at, token_variable: "GH_BOT_TOKEN", poll: "1s" }
  fleet.configure({ repo: lived(fleet, { forge }), sh: { landing: { mode: "pr" } } })
  fleet.repo.git("push", "-q", "origin", "main")
  const id = await fleet.start(JOB)
  const open = await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  const { worktree, branch } = open.repos[0]!
  expect(existsSync(worktree!), "it waits for the review").toBe(true)
  server.state.pulls.merge(server.state.pulls.all[0]!, "squash")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("life")).toEqual(["setup", "check", "job", "teardown"])
  const [head] = fleet.noted("head")
  expect(fleet.noted("remote")).toContain(`${head}\trefs/heads/${branch}`)
  expect(existsSync(worktree!)).toBe(false)
})

test("a cancelled task's work is rescued, and its worktree torn down; a stuck one keeps both [28.17]", async () => {
  await using fleet = new Fleet()
  fleet.configure({ repo: lived(fleet) })
  fleet.step(1, `${JOB}; echo b > untracked.txt; exit 75`)
  const id = await fleet.start("go")
  const stuck = await fleet.until(id)
  const { worktree } = stuck.repos[0]!
  expect(stuck.state).toBe("stuck")
  expect(existsSync(join(worktree!, "untracked.txt"))).toBe(true)
  expect(fleet.noted("life")).toEqual(["setup", "check", "job"])
  await fleet.coppice("cancel", id)
  await fleet.until(id, ({ repos }) => repos[0]?.worktree === null)
  expect(existsSync(worktree!)).toBe(false)
  expect(fleet.noted("life")).toEqual(["setup", "check", "job", "teardown"])
  const saved = fleet.repo
    .git("for-each-ref", "--format=%(refname)", "refs/coppice/rescue")
    .split("\n")
    .filter(Boolean)
    .flatMap((ref) => fleet.repo.git("ls-tree", "--name-only", ref).split("\n"))
  expect(saved).toEqual(expect.arrayContaining(["a.txt", "untracked.txt"]))
})
