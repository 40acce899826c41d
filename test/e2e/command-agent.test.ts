/** The contract with a command that is an agent: what it is given, and what its exit code means. */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { EventsDocument, LogDocument } from "../../src/api/wire/events.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const ALIKE = [
  ...["COPPICE_TASK", "COPPICE_JOB", "COPPICE_TURN", "COPPICE_WORKTREE_PATH"],
  ...["COPPICE_WORKTREE_BRANCH", "COPPICE_WORKTREE_BASE_BRANCH", "COPPICE_BASE_SHA"],
  ...["COPPICE_WORK_ITEM_ID", "COPPICE_WORK_ITEM_TITLE", "COPPICE_REPO_ROOT"],
  ...["COPPICE_WORKSPACE_STRATEGY", "COPPICE_PORT", "COPPICE_SLUG"],
]

const shared = new Fleet({ repo: { gate: false } })
afterAll(() => shared[Symbol.asyncDispose]())

describe("its input", () => {
  test("the prompt, byte for byte, on stdin and in a variable [30.1]", async () => {
    const note = 'cat > "$STEPS/stdin"; printf %s "$COPPICE_PROMPT" > "$STEPS/variable"'
    await using fleet = new Fleet({ repo: { gate: false }, sh: { command: note } })
    const prompt = "  Überall 'Quotes' \"$HOME\" `id` \\n\n\ttab\r\n\u{1f333} end \n\n"
    const task = await fleet.json(TaskDocument, ["run", prompt])
    expect(task).toMatchObject({ state: "complete", title: "Überall 'Quotes' \"$HOME\" `id` \\n" })
    expect(readFileSync(join(fleet.steps, "stdin"), "utf8")).toBe(prompt)
    expect(readFileSync(join(fleet.steps, "variable"), "utf8")).toBe(prompt)
  })

  test("the same facts as set-up, check and gate have, and no token of a forge [29.1]", async () => {
    await using fleet = new Fleet()
    const note = (name: string) => `env > '${join(fleet.steps, name)}'`
    const repo = { setup: note("setup"), check: note("check"), gate: note("gate") }
    fleet.configure({ repo, sh: { env: { STEPS: fleet.steps, OWN: "own" } } })
    const tokens = { GITHUB_TOKEN: "t1", GH_TOKEN: "t2", GITLAB_TOKEN: "t3", LINEAR_API_KEY: "t4" }
    Object.assign(fleet.extra, { ...tokens, COPPICE_TASK: "99", COPPICE_TOKEN: "x", OTHER: "no" })

    const args = ["run", `${note("agent")}; echo x > x.txt`, "--work-item", "gh-17", "--title", "T"]
    const task = await fleet.json(TaskDocument, args)
    expect(task.state).toBe("complete")
    const [setup, check, agent, gate] = ["setup", "check", "agent", "gate"].map((name) => {
      const pairs = fleet.noted(name).map((line) => line.split(/=(.*)/s).slice(0, 2))
      return Object.fromEntries(pairs) as Record<string, string>
    })
    const facts = (env: Record<string, string>) =>
      Object.fromEntries(ALIKE.map((name) => [name, env[name]]))
    expect(facts(agent!)).toMatchObject({
      COPPICE_TASK: task.id,
      COPPICE_JOB: "1",
      COPPICE_TURN: "1",
      COPPICE_WORKTREE_BRANCH: "agent/sh/gh-17",
      COPPICE_WORKTREE_BASE_BRANCH: "main",
      COPPICE_BASE_SHA: task.repos[0]?.base,
      COPPICE_REPO_ROOT: fleet.repo.path,
      COPPICE_WORK_ITEM_ID: "gh-17",
      COPPICE_WORK_ITEM_TITLE: "T",
      COPPICE_WORKSPACE_STRATEGY: "git_worktree",
    })
    expect(Object.values(facts(agent!)).every(Boolean)).toBe(true)
    for (const env of [setup, check, gate]) {
      expect(facts(env!)).toEqual(facts(agent!))
      expect(env).toMatchObject({ OWN: "own", HOME: fleet.home.path })
    }
    for (const env of [setup, check, agent, gate])
      for (const name of [...Object.keys(tokens), "OTHER"]) expect(env).not.toHaveProperty(name)
    for (const env of [setup, check, gate]) expect(env).not.toHaveProperty("COPPICE_TOKEN")
    expect(agent!["COPPICE_TOKEN"]).toMatch(/^.{20,}$/) // the job's own, not the caller's
  })
})

describe("its end", () => {
  test("exit 75 asks for a decision, in the last line of output [9.4, 30.2]", async () => {
    const asks = "echo one; echo; echo 'Left or right?'; exit 75"
    const task = await shared.json(TaskDocument, ["run", asks], 1)
    const reason = { code: "needs_decision", text: "Left or right?" }
    expect(task).toMatchObject({ state: "stuck", attention: true, reason })
    const why = await shared.json(WhyDocument, ["why", task.id])
    expect(why.waitingFor).toContain("Left or right?")
    expect(why.unblock).toContain(`coppice restart ${task.id}`)
    const { stdout } = await shared.coppice("run", asks)
    expect(stdout).toMatch(/\n\nNext step: `coppice restart \d+ "<your decision>"` or .*\n$/)
  })

  test("another exit is a failure, whose restart finds the files and lands [6.3, 30.2]", async () => {
    await using fleet = new Fleet({ repo: { gate: false } })
    fleet.step(2, `cp "$STEPS/../steps/2" turn2.txt; cat > "$STEPS/prompt"; echo more >> work.txt`)
    const stuck = await fleet.json(
      TaskDocument,
      ["run", "echo some > work.txt; echo no; exit 3"],
      1,
    )
    expect(stuck).toMatchObject({ state: "stuck", reason: { code: "failed" } })
    expect(stuck.reason?.text).toMatch(/exited with 3:\nno$/)
    const { worktree } = stuck.repos[0]!
    expect(readFileSync(join(worktree!, "work.txt"), "utf8")).toBe("some\n")
    expect(await fleet.coppice("land", stuck.id)).toMatchObject({ code: 2 })

    const restarted = await fleet.json(TaskDocument, ["restart", "-d", stuck.id])
    expect(restarted).toMatchObject({ state: "working", reason: null })
    expect(restarted.sessionId).not.toBe(stuck.sessionId)
    expect(restarted.repos[0]?.worktree).toBe(worktree)
    const done = await fleet.until(stuck.id)
    expect(done).toMatchObject({
      state: "complete",
      jobs: [{ state: "ended" }, { state: "ended" }],
    })
    expect(fleet.repo.git("show", "main:work.txt")).toBe("some\nmore")
    expect(readFileSync(join(fleet.steps, "prompt"), "utf8")).toContain("exited with 3")
    expect(await fleet.coppice("restart", "-d", stuck.id)).toMatchObject({ code: 2 })
  })

  test("a turn that takes too long is ended, and its worktree kept [12.3]", async () => {
    await using fleet = new Fleet({ repo: { gate: false }, sh: { session: { timeout: "1s" } } })
    const slow = `echo $$ > "$STEPS/pid"; echo some > work.txt; trap '' TERM; while :; do sleep 1; done`
    const task = await fleet.json(TaskDocument, ["run", slow], 1)
    expect(task).toMatchObject({ state: "stuck", reason: { code: "timed_out" } })
    expect(readFileSync(join(task.repos[0]!.worktree!, "work.txt"), "utf8")).toBe("some\n")
    await gone(fleet.noted("pid"))
  })

  test("that is killed makes its task stuck(died)", async () => {
    const task = await shared.json(TaskDocument, ["run", "kill -9 $$"], 1)
    expect(task).toMatchObject({ state: "stuck", reason: { code: "died" } })
  })
})

test("no credential that it has reaches the database, by any way in which it can speak [29.5]", async () => {
  const key = "ghp_0123456789abcdef"
  const gate = 'test ! -e y.txt || { echo "the gate has $DEPLOY_TOKEN"; exit 1; }'
  await using fleet = new Fleet()
  const env = { STEPS: fleet.steps, DEPLOY_TOKEN: key }
  fleet.configure({ repo: { gate }, sh: { env, landing: { max_handbacks: 0 } } })
  const speaks = [
    'echo "$COPPICE_TOKEN" > "$STEPS/token"',
    'echo "it has $DEPLOY_TOKEN and $COPPICE_TOKEN"',
    'coppice agent progress "progress with $DEPLOY_TOKEN"',
    'coppice agent propose_task "Another" "work with $DEPLOY_TOKEN"',
    'coppice agent stuck "no answer to $DEPLOY_TOKEN"',
  ]
  const stuck = await fleet.json(TaskDocument, ["run", speaks.join("; "), "--title", "One"], 1)
  expect(stuck.reason).toEqual({ code: "needs_decision", text: "no answer to [redacted]" })
  const asks = 'echo x > x.txt; echo "which $DEPLOY_TOKEN?"; exit 75'
  const asking = await fleet.json(TaskDocument, ["run", asks, "--title", "Two"], 1)
  expect(asking.reason?.text).toBe("which [redacted]?")
  const red = await fleet.json(TaskDocument, ["run", "echo y > y.txt", "--title", "Three"], 1)
  expect(red.state).toBe("merge_failed")

  const said = async (id: string) =>
    (await fleet.json(LogDocument, ["logs", id])).lines.map(({ text }) => text)
  expect(await said(stuck.id)).toEqual(
    expect.arrayContaining(["it has [redacted] and [redacted]", "progress with [redacted]"]),
  )
  expect((await said(red.id)).join("\n")).toContain("the gate has [redacted]")
  const { questions } = await fleet.client.questions(stuck.id)
  expect(questions.map(({ text }) => text).join()).toContain("work with [redacted]")
  const [token] = fleet.noted("token")
  expect(token).toMatch(/^.{20,}$/)
  const stored = globSync(join(fleet.home.path, "state/coppice/*/coppice.db*"))
  const bytes = stored.map((path) => readFileSync(path, "latin1")).join("")
  expect(bytes).toContain("progress with [redacted]")
  expect([key, token!].filter((secret) => bytes.includes(secret))).toEqual([])
})

test("cancel ends the whole tree, saves the work and removes the worktree [4.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const agent = [
    "echo committed > a.txt; git add a.txt; git commit -qm a; echo loose > b.txt",
    'setsid sleep 300 & echo $! >> "$STEPS/pids"',
    'env -i setsid sleep 300 & echo $! >> "$STEPS/pids"',
    `echo $$ >> "$STEPS/pids"; trap '' TERM; while :; do sleep 1; done`,
  ]
  const id = await fleet.start(agent.join("\n"))
  await waitFor("the agent's tree", () => fleet.noted("pids").length === 3)
  const { worktree, branch } = (await fleet.client.show(id)).repos[0]!

  expect(await fleet.json(TaskDocument, ["cancel", id])).toMatchObject({ state: "cancelled" })
  await gone(fleet.noted("pids"))
  const task = await fleet.until(id, ({ repos }) => repos[0]?.worktree === null)
  expect(task).toMatchObject({ state: "cancelled", landing: null, jobs: [{ state: "ended" }] })
  expect(existsSync(worktree!)).toBe(false)
  expect(fleet.repo.git("branch", "--list", branch!)).toBe("")
  const { events } = await fleet.json(EventsDocument, ["events", id])
  const rescued = events.find(({ type }) => type === "rescue.made")!
  const ref = String(rescued.data["ref"])
  expect(fleet.repo.git("show", `${ref}:a.txt`)).toBe("committed")
  expect(fleet.repo.git("show", `${ref}:b.txt`)).toBe("loose")
  expect(fleet.log()).not.toContain("a")
  for (const action of ["cancel", "restart", "land"])
    expect(await fleet.coppice(action, id)).toMatchObject({ code: 2 })
})

describe("before it starts", () => {
  test.each(["setup", "check"])("a failed %s stops the task, with its output", async (step) => {
    await using fleet = new Fleet({ repo: { gate: false, [step]: "echo no database; exit 4" } })
    const task = await fleet.json(TaskDocument, ["run", 'touch "$STEPS/ran"; echo x > x.txt'], 1)
    expect(task).toMatchObject({ state: "stuck", reason: { code: "failed" } })
    expect(task.reason?.text).toContain("exited with 4")
    expect(task.reason?.text).toContain("no database")
    expect(readdirSync(fleet.steps)).toEqual([])

    writeFileSync(join(fleet.steps, "2"), "echo x > x.txt")
    await fleet.json(TaskDocument, ["restart", "-d", task.id])
    expect(await fleet.until(task.id)).toMatchObject({ state: "stuck" }) // set-up runs again
    const { lines } = await fleet.json(LogDocument, ["logs", task.id])
    expect(lines.filter(({ text }) => text.startsWith(`${step}: `))).toHaveLength(2)
  })
})

async function gone(pids: readonly string[]): Promise<void> {
  const isGone = () => pids.every((pid) => readIdentity(Number(pid)) === undefined)
  await waitFor(`the end of ${pids}`, isGone)
}
