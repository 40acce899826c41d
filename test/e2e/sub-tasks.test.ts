/** An agent splits its task, and gets the ends of its sub-tasks as turns. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { ProposedDocument, QuestionsDocument } from "../../src/api/wire/agent.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Runs the prompt of the first turn, or its fenced part, and keeps the prompts of later ones. */
const COMMAND = `
  if [ "$COPPICE_TURN" -gt 1 ]; then cat > "$STEPS/task-$COPPICE_TASK-turn-$COPPICE_TURN"; [ ! -e "$STEPS/fail-$COPPICE_TASK" ] || exit 4; exit; fi
  prompt=$(cat); part=$(printf '%s\\n' "$prompt" | sed -n '/^\`\`\`/,/^\`\`\`/{/^\`\`\`/d;p;}')
  printf '%s\\n' "\${part:-$prompt}" | sh`
const PROPOSE = "coppice agent propose_task --json"

const fleetWith = (sh: object) =>
  new Fleet({ repo: { gate: false }, sh: { command: COMMAND, ...sh } })
const ALLOW = { tasks: { propose: "allow" } }

function proposed(fleet: Fleet, name: string): ProposedDocument {
  return ProposedDocument.parse(JSON.parse(readFileSync(join(fleet.steps, name), "utf8")))
}

test("an agent starts sub-tasks in an order, and gets each end once as a turn, also after a kill -9 [45.1]", async () => {
  await using fleet = fleetWith(ALLOW)
  const id = await fleet.start(`
    ${PROPOSE} "Part A" "while [ ! -e $STEPS/go ]; do sleep 0.05; done; echo a > a.txt" > "$STEPS/a"
    ${PROPOSE} "Part B" "echo b > b.txt" --after 2 > "$STEPS/b"
    echo own > own.txt`)
  const waiting = await fleet.until(id, ({ reason }) => reason?.code === "sub_tasks")
  expect(proposed(fleet, "a")).toEqual({ heard: true, task: "2", proposal: null })
  expect(waiting).toMatchObject({ state: "working", children: ["2", "3"], landing: null })
  expect((await fleet.json(WhyDocument, ["why", id])).waitingFor).toBe("its sub-tasks 2, 3")
  expect((await fleet.coppice("ls")).stdout).toMatch(/└ Part A/)
  await fleet.kill()
  await fleet.coppice("up", "-d")
  writeFileSync(join(fleet.steps, "go"), "")
  const parent = await fleet.until(id, ({ state }) => state === "complete")
  const { tasks } = await fleet.json(TasksDocument, ["ls"])
  expect(tasks.map(({ state, parent, after }) => [state, parent, after])).toEqual([
    ["complete", null, []],
    ["complete", id, []],
    ["complete", id, ["2"]],
  ])
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).toContain("a.txt\nb.txt")
  expect(fleet.log().indexOf("agent: Part B")).toBeLessThan(fleet.log().indexOf("agent: Part A"))
  const turns = Array.from({ length: parent.usage.turns - 1 }, (_, at) =>
    readFileSync(join(fleet.steps, `task-${id}-turn-${at + 2}`), "utf8"),
  ).join("\n")
  for (const part of ["Task 2: Part A", "Task 3: Part B"]) expect(turns.split(part)).toHaveLength(2)
  expect(turns).toContain("its work has landed on main")
}, 120_000)

test("beyond `max` and `max_depth` a person is asked [45.2]", async () => {
  await using fleet = fleetWith({ tasks: { propose: "allow", max: 1 } })
  const id = await fleet.start(
    `
    ${PROPOSE} --no-report Deep 'coppice agent propose_task --json Deeper true > "$STEPS/deep"' > "$STEPS/one"
    ${PROPOSE} Two true > "$STEPS/two"`,
    "--land",
    "approve",
    "--title",
    "Root",
  )
  await fleet.until(id)
  await fleet.until("2")
  expect(proposed(fleet, "one").task).toBe("2")
  expect(proposed(fleet, "two")).toMatchObject({
    task: null,
    proposal: expect.stringMatching(/^proposal:[12]$/),
  })
  expect(proposed(fleet, "deep").task).toBe(null)
  const { questions } = await fleet.json(QuestionsDocument, ["answer", "-d", id])
  expect(questions).toMatchObject([{ kind: "proposal" }])
})

test("a person who watches a task reads what its sub-task asks, and how to answer it [45.10]", async () => {
  await using fleet = fleetWith(ALLOW)
  const id = await fleet.start(`
    ${PROPOSE} Paint 'until [ -e "$STEPS/ask" ]; do sleep 0.05; done; coppice agent ask "Which colour?" > "$STEPS/colour"; echo p > p.txt'`)
  await fleet.until(id, ({ reason }) => reason?.code === "sub_tasks")
  const early = fleet.coppice("watch", id)
  await sleep(1_000) // `early` connects; else it reads of the question as `late` does
  writeFileSync(join(fleet.steps, "ask"), "")
  await fleet.event(({ type }) => type === "sub_task.asked")
  const late = fleet.coppice("watch", id)
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toBe("a person's answer to sub-task 2: Which colour?")
  expect(why.unblock).toBe('`coppice answer 2 "<answer>"`')
  const asked = (await fleet.coppice("answer", id)).stdout
  expect(asked).toContain("Sub-task 2, question 1: Which colour?")
  expect(asked).toContain("coppice answer 2 ")
  const wrong = await fleet.coppice("answer", id, "blue")
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain("answers sub-task 2: Which colour?")
  await sleep(1_000)
  expect((await fleet.coppice("answer", "-d", "2", "blue")).code).toBe(0)
  for (const { stdout, code } of [await early, await late]) {
    expect(stdout).toContain("Which colour?")
    expect(stdout).toContain("coppice answer 2 ")
    expect(code).toBe(0)
  }
  expect(fleet.noted("colour").join()).toContain("blue")
}, 60_000)

test("a sub-task lands as its parent does, and `cancel --tree` gives up all of them; a parent of living ones stays [45.4, 45.5]", async () => {
  await using fleet = fleetWith(ALLOW)
  const id = await fleet.start(
    `${PROPOSE} Reviewed "echo r > r.txt"; ${PROPOSE} Endless "sleep 1000"`,
    ...["--land", "approve", "--title", "Root"],
  )
  await fleet.until(id, ({ reason }) => reason?.code === "sub_tasks")
  await fleet.until("2", ({ state }) => state === "in_approval")
  const refused = await fleet.coppice("delete", id)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("cancel 1 --tree")])
  await fleet.json(TaskDocument, ["cancel", id, "--tree"])
  const { tasks } = await fleet.json(TasksDocument, ["ls"])
  expect(tasks.map(({ state }) => state)).toEqual(Array(3).fill("cancelled"))
  expect((await fleet.coppice("delete", id)).code).toBe(0)
})

test("a sub-task pushes to no remote that its parent's agent set [45.4]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false, push_target: true },
    sh: { command: COMMAND, ...ALLOW },
  })
  fleet.repo.git("clone", "--bare", "-q", ".", "../remote.git")
  fleet.repo.git("remote", "add", "origin", "../remote.git")
  const id = await fleet.start(`
    ${PROPOSE} --no-report Before "true" > "$STEPS/before"
    git remote set-url origin ../elsewhere.git
    ${PROPOSE} --no-report Behind "true" > "$STEPS/behind"`)
  await fleet.until(id)
  expect(proposed(fleet, "before").task).toBe("2")
  expect(fleet.noted("behind").join(" ")).toContain("not where it led when it was approved")
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toHaveLength(2)
})

test("a circle of waits is refused [45.3]", async () => {
  await using fleet = fleetWith(ALLOW)
  const id = await fleet.start(`
    ${PROPOSE} Waits "true" --after 1 > "$STEPS/circle"
    ${PROPOSE} --no-report After "true" --after 1 > "$STEPS/after"
    ${PROPOSE} Both "true" --after 2 > "$STEPS/both"`)
  await fleet.until(id)
  expect(fleet.noted("circle").join(" ")).toContain("Task 1 would wait for a sub-task")
  expect(fleet.noted("both").join(" ")).toContain("lands after task 2")
  expect(proposed(fleet, "after").task).toBe("2")
})

test("a sub-task starts from the work of another one, and is refused where `run --on` is [45.8]", async () => {
  await using fleet = fleetWith(ALLOW)
  const id = await fleet.start(`
    ${PROPOSE} Lower "echo a > a.txt" > "$STEPS/lower"
    ${PROPOSE} Upper "test -e a.txt && echo b > b.txt" --on 2 > "$STEPS/upper"
    ${PROPOSE} --on 99 Unknown true > "$STEPS/unknown"
    ${PROPOSE} --on 1 Circle true > "$STEPS/circle"
    true`)
  await fleet.until(id, ({ state }) => state === "complete")
  expect(proposed(fleet, "upper").task).toBe("3")
  const { tasks } = await fleet.json(TasksDocument, ["ls"])
  expect(tasks.map(({ state, parent, on }) => [state, parent, on])).toEqual([
    ["complete", null, null],
    ["complete", id, null],
    ["complete", id, "2"],
  ])
  expect(fleet.noted("unknown").join(" ")).toContain("task or proposal of yours `99`")
  expect(fleet.noted("circle").join(" ")).toContain("Task 1 would wait for a sub-task")
  const other = await fleet.start(
    `${PROPOSE} --on 1 Late true > "$STEPS/late"; true`,
    "--land",
    "none",
  )
  await fleet.until(other)
  expect(fleet.noted("late").join(" ")).toContain("cannot start from the work of task 1")
})

test("a repeated proposal is answered with its task, also when the task below is given up and no more may start", async () => {
  await using fleet = fleetWith({ tasks: { propose: "allow", max: 3 } })
  const id = await fleet.start(`
    upper() { ${PROPOSE} --no-report Upper true "$@"; }
    ${PROPOSE} --no-report Lower "sleep 1000" > "$STEPS/lower"
    upper --on 2 > "$STEPS/first"
    upper > "$STEPS/other"
    while [ ! -e "$STEPS/go" ]; do sleep 0.05; done
    upper --on 2 > "$STEPS/again"`)
  await fleet.until(id, ({ children }) => children.length === 3)
  await fleet.json(TaskDocument, ["cancel", "2"])
  writeFileSync(join(fleet.steps, "go"), "")
  await fleet.until(id)
  expect(proposed(fleet, "again")).toEqual({ heard: true, task: "3", proposal: null })
  expect(proposed(fleet, "other").task).toBe("4")
}, 60_000)

test("a proposal names the proposal that it starts from, and waits for a person's answer to that [45.8]", async () => {
  await using fleet = fleetWith({})
  const id = await fleet.start(`
    ${PROPOSE} --report Lower "echo a > a.txt" > "$STEPS/lower"
    ${PROPOSE} --report Upper "test -e a.txt && echo b > b.txt" --on proposal:1 > "$STEPS/upper"
    ${PROPOSE} Without "true" > "$STEPS/without"
    ${PROPOSE} Below "true" --on proposal:3 > "$STEPS/below"`)
  await fleet.until(id, ({ reason }) => reason?.code === "sub_tasks")
  const { questions } = await fleet.json(QuestionsDocument, ["answer", "-d", id])
  expect(questions[1]!.text).toContain("(starts from the work of proposal:1)")
  const answer = (question: string, word: string) =>
    fleet.coppice("answer", "-d", id, "--question", question, word)
  expect((await answer("2", "accept")).stderr).toContain("depends on proposal 1")
  await answer("3", "decline")
  expect((await answer("4", "accept")).stderr).toContain("no work of proposal:3: it was declined")
  for (const [question, word] of [
    ["4", "decline"],
    ["1", "accept"],
    ["2", "accept"],
  ] as const)
    expect((await answer(question, word)).code).toBe(0)
  await fleet.until(id, ({ state }) => state === "complete")
  expect(await fleet.client.show("3")).toMatchObject({ on: "2", state: "complete", title: "Upper" })
})

test("a person's answer to a proposal that wants a report is a turn of its agent; a decline too [45.1]", async () => {
  await using fleet = fleetWith({})
  const id = await fleet.start(`
    ${PROPOSE} --report Yes "echo y > y.txt" > "$STEPS/yes"
    ${PROPOSE} --report No "false" --after "proposal:1" > "$STEPS/no"`)
  await fleet.until(id, ({ reason }) => reason?.code === "sub_tasks")
  const early = await fleet.coppice("answer", "-d", id, "--question", "2", "accept")
  expect(early.stderr).toContain("depends on proposal 1")
  await fleet.json(TaskDocument, ["answer", "-d", id, "--question", "2", "decline"])
  await fleet.json(TaskDocument, ["answer", "-d", id, "accept"])
  const parent = await fleet.until(id)
  expect(parent).toMatchObject({ state: "complete", children: ["2"] })
  const told = ["2", "3"].flatMap((turn) => fleet.noted(`task-${id}-turn-${turn}`)).join("\n")
  expect(told).toContain("declined your proposal: No")
  expect(told).toContain("Task 2: Yes")
})

test("a task that failed is restarted once, with the cause in its brief, and then its parent gets its end [45.1, 45.6]", async () => {
  await using fleet = fleetWith({ ...ALLOW, restart_on_failure: true })
  writeFileSync(join(fleet.steps, "fail-2"), "")
  const id = await fleet.start(`${PROPOSE} Fails "echo the disk is full >&2; exit 3"`)
  await fleet.until(id, ({ state }) => state === "complete")
  expect(await fleet.client.show("2")).toMatchObject({ state: "stuck", usage: { turns: 2 } })
  const brief = fleet.noted("task-2-turn-2").join("\n")
  expect(brief).toContain("Why it stopped. ")
  expect(brief).toContain("the disk is full")
  expect(fleet.noted(`task-${id}-turn-2`).join("\n")).toContain("It is stuck")
})
