/** People see the progress, time, size, causes and ways out of many tasks. */
import { rmSync } from "node:fs"
import { expect, test } from "vitest"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { StatsDocument } from "../../src/features/stats/wire.ts"
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

test("a failed landing gives a person the commands, and each fact once [12.15]", async () => {
  const gate = 'if [ -f red ]; then echo "the assertion"; exit 1; fi'
  await using fleet = new Fleet({ repo: { gate }, sh: { landing: { max_handbacks: 0 } } })
  const red = await fleet.coppice("run", "echo red > red")
  expect(red).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/end of its output:\n +the assertion\n/),
  })
  expect(red.stdout).toContain("coppice land 1\n")

  fleet.step(1, 'until [ -e "$STEPS/go" ]; do sleep 0.05; done; echo theirs > README.md')
  await fleet.start("work")
  await fleet.event(({ type, task }) => type === "turn.began" && task === "2")
  fleet.repo.commit({ "README.md": "mine\n" }, "mine")
  fleet.noted("go")
  const conflict = await fleet.coppice("watch", "--all", "2")
  expect(conflict.stdout).toMatch(
    /cd \/.*\n +git rebase main\n +git add <files>.*\n.*--continue\n +coppice land 2\n/,
  )
  expect(conflict.stdout.match(/<<<<<<</g)).toHaveLength(1)
  expect((await fleet.coppice("why", "2")).stdout).toContain("`coppice logs 2` shows the commands")
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
  expect(await fleet.coppice("ls", "--state", "stack")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no state `stack`; did you mean `stuck`?"),
  })
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
    expect(stats.waits.map(({ reason }) => reason).toSorted()).toEqual([
      "IN_REVIEW",
      "QUEUED",
      "START",
    ])
  }
  const { stdout } = await fleet.coppice("stats")
  expect(stdout).toContain("1 task landed, half of them within")
  expect(stdout).toMatch(/WAITED FOR +TASKS +IN ALL\nan approval +1 /)
  expect(stdout, "codes are for programs").not.toMatch(/IN_REVIEW|QUEUED|START/)
  expect(await fleet.coppice("stats", "--since", "soon")).toMatchObject({ code: 2 })
})

test("a worktree that is gone when its agent stops is reported [12.15]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start('until [ -e "$STEPS/go" ]; do sleep 0.05; done; echo done')
  await fleet.event(({ type }) => type === "turn.began")
  const worktree = (await fleet.client.show(id)).repos[0]!.worktree!
  rmSync(worktree, { recursive: true })
  fleet.noted("go")
  await fleet.until(id)
  const { stdout } = await fleet.coppice("logs", id, "-n", "1")
  expect(stdout).toBe(`! Gone while the agent worked: ${worktree}. Only its commits land.\n`)
  const events = (await fleet.coppice("events", id)).stdout
  expect(events).toMatch(/turn\.ended .* n=1 usage\.turns=1/)
  expect(events).not.toMatch(/[{}]/)
})

test("the log of an undo in conflict lists the commands that land it [12.15]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  for (const word of ["one", "two"]) await fleet.coppice("run", `echo ${word} > u.txt`)
  expect(await fleet.coppice("undo", "1")).toMatchObject({ code: 1 })
  const { stdout } = await fleet.coppice("logs", "3")
  const commands = [...stdout.matchAll(/^ +(git|coppice) (.*)$/gm)]
  const [start, pick, , land] = commands.map(([, , words]) => words!)
  fleet.repo.git(...start!.split(" "))
  expect(() => fleet.repo.git(...pick!.split(" "))).toThrow(/could not apply/)
  fleet.repo.git("rm", "-q", "u.txt")
  expect(stdout).toContain("GIT_EDITOR=true git cherry-pick --continue\n")
  fleet.repo.git("-c", "core.editor=true", "cherry-pick", "--continue")
  fleet.repo.git("switch", "-q", "main")
  expect(land).toBe("land revert-3 && coppice delete 3")
  expect(await fleet.coppice("land", "revert-3")).toMatchObject({ code: 0 })
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("u.txt")
})

test("ls says which worktrees are a person's, and which tasks wait for a place [15.18]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, limits: { concurrent: 1 } })
  await fleet.coppice("worktree", "add", "My own")
  await fleet.start('until [ -e "$STEPS/go" ]; do sleep 0.05; done')
  await fleet.event(({ type, task }) => type === "turn.began" && task === "2")
  await fleet.start("true")
  expect((await fleet.coppice("ls")).stdout).toMatch(
    /waiting \(2\)\n1 .*My own +yours: `coppice worktree land 1` lands it\n3 .* waits for a free place/,
  )
  fleet.noted("go")
  await fleet.until("3")
})

test("run names the uncommitted files that its agent does not see [12.19]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  fleet.repo.write({ "README.md": "mine\n", "new.txt": "new\n" })
  const { stdout } = await fleet.coppice("run", "echo nothing")
  expect(stdout).toMatch(
    /note +the agent does not see what you have not committed: README.md, new.txt/,
  )
  fleet.repo.git("stash", "-qu")
  expect((await fleet.coppice("run", "echo nothing")).stdout).not.toContain("not committed")
})

test("ls says that coppice.yml has mistakes, and which [12.19]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.json(TaskDocument, ["run", "echo nothing"])
  fleet.repo.write({ "coppice.yml": "version: 1\nagentz: {}\n" })
  for (const args of [["ls"], ["ls", "--state", "working"]]) {
    const { stdout } = await fleet.coppice(...args)
    expect(stdout).toMatch(/coppice.yml is not valid:\n +agentz /)
  }
  fleet.repo.git("checkout", "-q", "coppice.yml")
  expect((await fleet.coppice("ls")).stdout).not.toContain("not valid")
})

test("events begin at the last ones, of all or of a task, followed or not [15.18]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const task = await fleet.json(TaskDocument, ["run", "echo nothing"])
  const all = (await fleet.coppice("events")).stdout.trimEnd().split("\n")
  for (const of of [[], [task.id]]) {
    const { stdout } = await fleet.coppice("events", ...of, "--tail", "2")
    expect(stdout.trimEnd().split("\n")).toEqual(all.slice(-2))
  }
  expect((await fleet.coppice("events", "--tail", "0")).stdout).toBe("")
  expect(await fleet.coppice("events", "--tail", "1", "--after", "1")).toMatchObject({ code: 2 })
})

test("why prints the end of a failed set-up line by line, and lists keep its last line [12.15]", async () => {
  const setup = "for n in $(seq 40); do echo line $n; done; echo no such package; exit 3"
  await using fleet = new Fleet({ repo: { gate: false, setup } })
  const { stdout, code } = await fleet.coppice("run", "echo nothing")
  expect(code).toBe(1)
  expect(stdout).toMatch(/stuck: .*exited with 3\. … no such package Run `/)
  const why = (await fleet.coppice("why", "1")).stdout
  expect(why).toMatch(/exited with 3\.\n {4}… \d+ earlier lines\n/)
  expect(why).toMatch(/\n {4}line 40\n {4}no such package\n {4}Run `/)
})
