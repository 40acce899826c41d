/** Cleaning up from the command line: what is printed is what is done. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { DoctorDocument, StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { GcDocument } from "../../src/features/clean-up/wire.ts"
import { RescuesDocument } from "../../src/features/recover/wire.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

test("gc removes work that the target has and keeps the rest with a reason, which doctor shows [33.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { landing: { mode: "none" } } })
  const contained = await fleet.until(await fleet.start("true"))
  const unmerged = await fleet.until(await fleet.start("echo work > work.txt"))
  const [empty, kept] = [contained, unmerged].map(({ repos }) => repos[0]?.worktree ?? "")
  fleet.configure({
    repo: { gate: false },
    sh: { landing: { mode: "none" } },
    maintenance: { worktree_cleanup: { max_worktree_age: "1s" } },
  })
  const isPlanned = async () => {
    const plan = await fleet.client.gc({ dryRun: true })
    const items = plan.repos.flatMap((repo) => repo.items)
    return items.find(({ name, action }) => name === empty && action === "remove") && plan
  }
  const plan = await waitFor("the worktree to be old enough", isPlanned)
  expect(existsSync(empty!)).toBe(true)
  const said = await fleet.coppice("gc")
  expect(said.stdout).toContain(`removed  ${empty}`)
  expect(said.stdout).toContain(`keep     ${kept}`)
  expect(said.stdout).toContain(`task ${unmerged.id}: echo work > work.txt (complete)`)
  expect([existsSync(empty!), existsSync(kept!)]).toEqual([false, true])
  expect(GcDocument.parse(plan).dryRun).toBe(true)

  const { maintenance } = await fleet.json(StatusDocument, ["status"])
  expect(maintenance?.problems).toEqual([expect.stringContaining(kept!)])
  const { ok, checks } = await fleet.json(DoctorDocument, ["doctor"])
  expect([ok, checks.find(({ name }) => name === "maintenance")?.text]).toEqual([
    true,
    expect.stringContaining(kept!),
  ])
  const task = await fleet.client.show(contained.id)
  expect(task.repos[0]?.worktree).toBeNull()
})

test("a worktree that is kept on purpose is no problem, and ages out as its agent says, rescued first [33.12, 33.13]", async () => {
  const workspace = { cleanup_on_failure: false }
  await using fleet = new Fleet({ repo: { gate: false }, sh: { workspace } })
  const id = await fleet.start(
    "echo c > c.txt; git add .; git commit -qm c; echo u > u.txt; exit 75",
  )
  const { worktree } = (await fleet.until(id)).repos[0]!
  await fleet.coppice("cancel", id)
  await fleet.event(({ type }) => type === "workspace.kept")
  await fleet.client.gc()
  expect((await fleet.json(StatusDocument, ["status"])).maintenance?.problems).toEqual([])
  expect(existsSync(worktree!)).toBe(true)

  const maintenance = { worktree_cleanup: { max_worktree_age: "1s" } }
  fleet.configure({ repo: { gate: false }, sh: { workspace, maintenance } })
  await waitFor("its end", async () => {
    await fleet.client.gc()
    return !existsSync(worktree!)
  })
  const { rescues } = await fleet.json(RescuesDocument, ["recover"])
  expect(rescues).toMatchObject([{ task: id, files: [{ path: "u.txt" }] }])
  expect(rescues[0]?.commits).toEqual([expect.stringMatching(/ c$/)])
})

test("`why` and `doctor` name a cancelled task whose clean-up rests, and it is tried again [12.18]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("exit 75")
  const { branch, worktree } = (await fleet.until(id)).repos[0]!
  const lock = `.git/refs/heads/${branch}.lock`
  fleet.repo.write({ [lock]: "" })
  await fleet.coppice("cancel", id)
  const doctor = () => fleet.json(DoctorDocument, ["doctor"])
  const said = async () =>
    (await doctor()).checks.find(({ text }) => text.includes(`clean-up of task ${id}`))
  expect((await waitFor("doctor to name it", said, 60_000))?.text).toContain(branch)
  const { waitingFor, unblock } = await fleet.client.why(id)
  expect([waitingFor, unblock]).toEqual([
    expect.stringContaining("before its clean-up continues"),
    expect.stringContaining("the next try is at"),
  ])
  rmSync(join(fleet.repo.path, lock))
  await waitFor("the clean-up", () => fleet.leftovers().length === 0, 60_000)
  expect(existsSync(worktree!)).toBe(false)
  expect(await said()).toBeUndefined()
})

test.each(["cancel", "delete"])(
  "with worktrees next to the repository, an agent that points its own at the user's checkout loses the user nothing: %s [33.4]",
  async (command) => {
    const sh = { workspace: { worktree_dir: ".." } }
    await using fleet = new Fleet({ repo: { gate: false }, sh })
    const forge = `echo "$COPPICE_REPO_ROOT/.git" > "$(git rev-parse --git-dir)/gitdir"`
    const id = await fleet.start(`echo work > work.txt; ${forge}; exit 75`)
    await fleet.until(id)
    fleet.repo.write({ "mine.txt": "mine" })
    const before = readdirSync(fleet.repo.path)
    await fleet.coppice(command, id)
    const next = await fleet.json(TaskDocument, ["run", "echo next > next.txt"]) // set-up sweeps
    expect(next).toMatchObject({ state: "complete" })
    expect(readdirSync(fleet.repo.path)).toEqual(expect.arrayContaining(before))
    expect(readFileSync(join(fleet.repo.path, "mine.txt"), "utf8")).toBe("mine")
    expect(readdirSync(fleet.repo.folder).filter((name) => name.includes("trash"))).toEqual([])
    expect(fleet.repo.git("fsck", "--no-dangling")).toBe("")
  },
)
