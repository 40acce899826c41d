/** Commands that act on tasks: they watch as `run` does, and end as the task has ended. */
import { writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { LandingPlanDocument } from "../../src/api/wire/landings.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { shareFleet } from "../support/shared-fleet.ts"

const renewed = shareFleet()
const UNGATED = { repo: { gate: false } }
const WORK = "echo work > $COPPICE_TASK.txt"

test("an action watches from now on, and ends with the new state and its exit code [35.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test ! -f red" } })
  const { id } = await fleet.json(TaskDocument, ["run", WORK, "--land", "approve"])
  const approved = await fleet.coppice("approve", id)
  expect(approved).toMatchObject({ code: 0, stderr: "" })
  expect(approved.stdout).toMatch(
    /^.* prepared on(.*\n)*.*gate passed(.*\n)*.* complete\n\n1 {2}echo/,
  )
  expect(approved.stdout).toMatch(/state\s+✓ complete/)
  expect(approved.stdout).not.toContain("works in")

  const red = await fleet.json(TaskDocument, ["run", `${WORK}; touch red; exit 3`], 1)
  const restarted = await fleet.coppice("restart", red.id)
  expect(restarted).toMatchObject({ code: 1, stdout: /started again\n(.*\n)*.*state\s+✗ stuck/ })
  expect(restarted.stdout.match(/stuck: /g)).toHaveLength(1)
  expect(await fleet.coppice("watch", red.id)).toMatchObject({ code: 1, stdout: /✗ stuck/ })
  expect((await fleet.coppice("watch", red.id, "--all")).stdout).toContain("works in")

  fleet.step(1, `until [ -e "$STEPS/go" ]; do sleep 0.05; done`)
  const detached = await fleet.json(TaskDocument, ["restart", red.id, "-d"])
  expect(detached.state).toBe("working")
  await fleet.coppice("cancel", red.id)
})

test("several tasks are acted on at once; a refusal does not keep the others from it [35.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: "sleep 1" } })
  for (const name of ["a", "b"])
    await fleet.json(TaskDocument, ["run", WORK, "--title", name, "--land", "approve"])
  const approved = await fleet.coppice("approve", "1", "7", "2", "--json")
  expect(approved).toMatchObject({ code: 2, stderr: /There is no task `7`/ })
  const { tasks } = TasksDocument.parse(JSON.parse(approved.stdout))
  expect(tasks.map(({ id, state }) => [id, state])).toEqual([
    ["1", "complete"],
    ["2", "complete"],
  ])
  const { events } = await fleet.json(EventsDocument, ["events"])
  const seqs = (type: string) => events.flatMap((one) => (one.type === type ? one.seq : []))
  expect(Math.max(...seqs("approval.given"))).toBeLessThan(Math.min(...seqs("task.landed")))

  const kept = await fleet.json(TaskDocument, ["run", WORK, "--land", "none"])
  const paused = await fleet.start("sleep 60")
  await fleet.coppice("pause", paused)
  expect((await fleet.coppice("delete", "--done", "1")).stderr).toContain("takes no tasks")
  const deleted = await fleet.json(TasksDocument, ["delete", "--done"])
  expect(deleted.tasks.map(({ id }) => id)).toEqual(["1", "2"])
  const { tasks: left } = await fleet.json(TasksDocument, ["ls"])
  expect(left.map(({ id }) => id)).toEqual([kept.id, paused])
})

test("a task lands on another branch, after its target was renamed for example [19.6, 19.7]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { id } = await fleet.json(TaskDocument, ["run", WORK, "--land", "none"])
  fleet.repo.git("branch", "-m", "main", "trunk")
  const gone = await fleet.json(TaskDocument, ["land", id], 1)
  expect(gone.landing).toMatchObject({ outcome: "TARGET_GONE", state: "waiting", handbacks: 0 })
  const { waitingFor, unblock } = await fleet.json(WhyDocument, ["why", id])
  expect(waitingFor).toBe("a person: the target main no longer exists: it was renamed to trunk")
  expect(unblock).toContain(`\`coppice land ${id} --target trunk\``)
  const { maintenance } = await fleet.json(StatusDocument, ["status"])
  expect(maintenance?.problems).toEqual([])
  const wrong = await fleet.coppice("land", id, "--target", "nowhere")
  expect(wrong).toMatchObject({ code: 2, stderr: /has no branch nowhere/ })
  const landed = await fleet.json(TaskDocument, ["land", id, "--target", "trunk"])
  expect(landed).toMatchObject({ state: "complete", repos: [{ target: "trunk" }] })
  expect(fleet.repo.git("show", "trunk:1.txt")).toBe("work")
  expect((await fleet.coppice("land", id, "--target", "other")).code).toBe(2)
})

test("a landing continues when its target has its name again [19.7]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { repo } = fleet
  const go = `${fleet.steps}/go`
  const id = await fleet.start(`while test ! -f ${go}; do sleep 0.1; done; ${WORK}`)
  await fleet.until(id, ({ repos }) => repos[0]?.worktree !== null)
  repo.git("branch", "-m", "main", "trunk")
  repo.commit({ "more.txt": "more" }, "a commit after the rename")
  writeFileSync(go, "")
  const waiting = await fleet.until(id, ({ landing }) => landing?.outcome === "TARGET_GONE")
  expect(waiting).toMatchObject({ state: "merging", attention: true, landing: { handbacks: 0 } })
  expect(waiting.landing?.reason).toContain("renamed to trunk")
  repo.git("branch", "-m", "trunk", "main")
  const landed = await fleet.until(id, ({ state }) => state === "complete")
  expect(landed.repos).toMatchObject([{ target: "main" }])
  expect(fleet.log()).toContain("a commit after the rename")
})

test("a new task names the new branch of a renamed target, and the command [19.7]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, target: "main" } })
  fleet.repo.git("branch", "-m", "main", "trunk")
  const refused = await fleet.coppice("run", WORK)
  expect(refused.stderr).toMatch(/has no branch main\. It was renamed to trunk\./)
  expect(refused.stderr).toContain("`coppice config set repos.app.target trunk`")
})

test("a complete task is resumed only with a message [15.17]", async () => {
  const fleet = await renewed(UNGATED)
  const { id } = await fleet.json(TaskDocument, ["run", WORK])
  const refused = await fleet.coppice("resume", id)
  expect(refused).toMatchObject({ code: 2, stdout: "" })
  expect(refused.stderr).toContain(`coppice resume ${id} "<what to do>"`)
  await fleet.json(TaskDocument, ["resume", id, "echo more > more.txt"])
  expect(fleet.repo.git("show", "main:more.txt")).toBe("more")
})

test("watching a paused task names the command that continues it [35.8]", async () => {
  const fleet = await renewed(UNGATED)
  const id = await fleet.start("sleep 60")
  await fleet.event(({ type, task }) => type === "turn.began" && task === id)
  await fleet.coppice("pause", id)
  const watched = await fleet.coppice("watch", id)
  const resume = expect.stringContaining(`\`coppice resume ${id}\``)
  expect(watched).toMatchObject({ code: 1, stdout: resume })
})

test("a task that changed nothing says so, and offers no undo [22.4]", async () => {
  const fleet = await renewed(UNGATED)
  const { id } = await fleet.json(TaskDocument, ["run", "true"])
  expect((await fleet.coppice("show", id)).stdout).toMatch(/landing +\d+: nothing changed\n/)
  const undone = await fleet.coppice("undo", id)
  expect(undone).toMatchObject({ code: 2, stdout: "", stderr: /it has changed nothing/ })
  const refused = await fleet.coppice("restart", id)
  expect(refused).toMatchObject({ code: 2, stderr: expect.not.stringContaining("undo") })
})

test("a dry run of a conflict ends with 1 [19.4]", async () => {
  const fleet = await renewed(UNGATED)
  fleet.repo.git("switch", "-qc", "mine")
  fleet.repo.commit({ "README.md": "mine\n" }, "mine")
  fleet.repo.git("switch", "-q", "main")
  expect((await fleet.coppice("land", "mine", "--dry-run")).code).toBe(0)
  fleet.repo.commit({ "README.md": "theirs\n" }, "theirs")
  const plan = await fleet.json(LandingPlanDocument, ["land", "mine", "--dry-run"], 1)
  expect(plan.repos).toMatchObject([{ way: "conflict" }])
})

test("a command takes no model [30.7]", async () => {
  const fleet = await renewed(UNGATED)
  const refused = await fleet.coppice("run", "x", "--model", "some-model")
  expect(refused).toMatchObject({ code: 2, stderr: /agent sh is a command, which takes no model/ })
})
