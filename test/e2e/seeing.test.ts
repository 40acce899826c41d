/** People see the progress, time, size, causes and ways out of many tasks. */
import { expect, test } from "vitest"
import { StatsDocument } from "../../src/core/wire/stats.ts"
import { TaskDocument, TasksDocument } from "../../src/core/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

test("ls, show, why and logs have the report of an agent, and the size of work to approve [12.14]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const until = 'until [ -e "$STEPS/go" ]; do sleep 0.05; done'
  const id = await fleet.start(
    `coppice agent progress "reading the code"; ${until}; echo a > a.txt`,
  )
  await fleet.event(({ type }) => type === "task.progress")
  for (const command of [["ls"], ["show", id], ["why", id], ["logs", id]])
    expect((await fleet.coppice(...command)).stdout, command[0]).toContain("reading the code")
  await fleet.coppice("cancel", id)

  await fleet.json(TaskDocument, ["run", "echo b > b.txt", "--land", "approve"])
  for (const command of [["ls"], ["show", "2"], ["why", "2"]])
    expect((await fleet.coppice(...command)).stdout).toContain("to approve: 1 file, +1 -0")
})

test("a wait and a red gate print the way out and the cause [12.15]", async () => {
  const gate = 'if [ -f red ]; then seq 1 40; echo "the assertion"; exit 1; fi'
  await using fleet = new Fleet({ repo: { gate } })
  fleet.repo.write({ "README.md": "mine\n" })
  const waiting = fleet.coppice("run", "echo theirs > README.md")
  await fleet.event(({ type }) => type === "landing.blocked")
  fleet.repo.git("checkout", "-q", "README.md")
  const { stdout } = await waiting
  expect(stdout).toMatch(/waits: .*README.md\n +unblock: commit, stash or move the files/)

  fleet.repo.git("switch", "-qc", "bad")
  fleet.repo.commit({ red: "red\n" }, "red")
  fleet.repo.git("switch", "-q", "main")
  expect((await fleet.coppice("land", "bad")).stdout).toMatch(
    /end of its output(.*\n)*.*the assertion\n/,
  )
})

test("ls shows the last ten done, and filters [15.18]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  for (let n = 0; n < 12; n++)
    await fleet.json(TaskDocument, ["run", "echo nothing", "--title", `Number ${n}`])
  const few = (await fleet.coppice("ls")).stdout
  expect(few).toContain("done (12; 2 earlier with `--all`)")
  expect(few).not.toMatch(/Number 1 /)
  expect((await fleet.coppice("ls", "-n", "1")).stdout.match(/Number/g)).toHaveLength(1)
  expect((await fleet.coppice("ls", "--all")).stdout).toMatch(/done \(12\)(.*\n)*.*Number 1 /)
  const { tasks } = await fleet.json(TasksDocument, ["ls", "--state", "complete", "--agent", "sh"])
  expect(tasks).toHaveLength(12)
  expect((await fleet.coppice("ls", "--state", "stuck")).stdout).toContain("No such tasks")
})

test("stats count what landed, got stuck and waited, also after down [12.17]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.json(TaskDocument, ["run", "echo a > a.txt"])
  await fleet.coppice("run", "exit 3")
  await fleet.json(TaskDocument, ["run", "echo b > b.txt", "--land", "approve"])
  for (const isEnded of [false, true]) {
    if (isEnded) await fleet.coppice("down")
    const stats = await fleet.json(StatsDocument, ["stats", "--since", "1d"])
    expect(stats.agents).toMatchObject([{ agent: "sh", landed: 1, stuck: 1, turns: 3 }])
    expect(stats.days.reduce((sum, { landed }) => sum + landed, 0)).toBe(1)
    expect(stats.stuck).toEqual([{ reason: "failed", agent: "sh", count: 1 }])
    expect(stats.waits.map(({ reason }) => reason).toSorted()).toEqual(["IN_REVIEW", "QUEUED"])
  }
  expect((await fleet.coppice("stats")).stdout).toContain("1 task landed, half of them within")
  expect(await fleet.coppice("stats", "--since", "soon")).toMatchObject({ code: 2 })
})
