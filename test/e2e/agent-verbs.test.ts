/** An agent uses the verbs of `coppice agent`, and a person answers. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { BriefDocument, PeersDocument, QuestionsDocument } from "../../src/api/wire/agent.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** On every agent's PATH, even if it is not installed. */
const COPPICE = "coppice"
const GATE = "echo looked for bad.txt; test ! -f bad.txt"

test("an agent asks and is answered, checks itself and is done; all of it is in its brief [9.4, 9.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: GATE }, sh: { landing: { require_done: true } } })
  const id = await fleet.start(`
    ${COPPICE} agent progress "looks around"
    echo x > bad.txt; echo w > work.txt
    ${COPPICE} agent check > "$STEPS/check"; echo $? >> "$STEPS/check"
    ${COPPICE} agent done "all done" > "$STEPS/early"; echo $? >> "$STEPS/early"
    ${COPPICE} agent ask "which colour?" --choice red --choice blue > "$STEPS/colour"
    ${COPPICE} agent brief --json > "$STEPS/brief"
    rm bad.txt; cp "$STEPS/colour" colour.txt
    ${COPPICE} agent done "painted it"`)
  await fleet.event(({ type }) => type === "question.asked")
  const asked = await fleet.json(QuestionsDocument, ["answer", "-d", id])
  expect(asked.questions).toMatchObject([{ text: "which colour?", choices: ["red", "blue"] }])
  const listed = await fleet.json(TaskDocument, ["show", id])
  expect(listed).toMatchObject({ state: "working", attention: true, reason: { code: "asked" } })
  expect((await fleet.json(WhyDocument, ["why", id])).unblock).toContain(`coppice answer ${id}`)
  await fleet.json(TaskDocument, ["answer", "-d", id, "2"])
  const task = await fleet.until(id)

  expect(task).toMatchObject({ state: "complete", attention: false, usage: { turns: 1 } })
  expect(fleet.repo.git("show", "main:colour.txt")).toBe("blue")
  for (const name of ["check", "early"]) {
    expect(fleet.noted(name).join(" ")).toContain("looked for bad.txt")
    expect(fleet.noted(name).at(-1)).toBe("1")
  }
  const brief = BriefDocument.parse(JSON.parse(readFileSync(join(fleet.steps, "brief"), "utf8")))
  expect(brief).toMatchObject({ task: id, repos: [{ gate: GATE, target: "main" }] })
  expect(brief.questions).toEqual([{ text: "which colour?", answer: "blue" }])
  const events = await fleet.client.events({ task: id })
  expect(events.events.map(({ type }) => type)).toContain("task.progress")
})

test("S24: nothing lands while an agent waits for a person, no process waits, and the answer is its next turn [9.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { session: { ask_wait: "1s" } } })
  fleet.step(2, `cat > "$STEPS/prompt"; echo done > answer.txt`)
  const main = fleet.repo.tip("main")
  const id = await fleet.start(`
    echo half > work.txt
    ${COPPICE} agent ask "left or right?" || echo "$? $$" > "$STEPS/later"`)
  const end = await fleet.event(({ type }) => type === "session.ended")
  const waiting = await fleet.json(TaskDocument, ["show", id])
  expect(waiting).toMatchObject({ state: "working", attention: true, landing: null })
  expect(waiting.reason).toEqual({ code: "asked", text: "left or right?" })
  expect(fleet.noted("later")[0]).toMatch(/^1 /)
  expect(fleet.repo.tip("main")).toBe(main)
  await fleet.coppice("down")
  await fleet.json(TaskDocument, ["answer", "-d", id, "left, please"])

  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", usage: { turns: 2 }, attention: false })
  expect(task.jobs[0]?.sessions).toEqual([task.sessionId])
  expect(end.data["session"]).toBe(task.sessionId)
  expect(readFileSync(join(fleet.steps, "prompt"), "utf8")).toContain("left, please")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("half")
  const again = await fleet.coppice("answer", "-d", id, "right")
  expect(again).toMatchObject({ code: 2 })
  expect(again.stderr).toContain("has no such open question")
  expect(again.stderr).toMatch(/Possible now: .*delete/)
})

test("an agent that says stuck is ended, whatever it does; a person accepts the task that it proposed", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start(`
    trap '' TERM
    echo kept > kept.txt
    ${COPPICE} agent peers --json kept.txt > "$STEPS/peers"
    ${COPPICE} agent propose_task "Write the docs" "echo d > docs.txt"
    ${COPPICE} agent stuck "the key is unknown"
    while :; do sleep 0.1; done`)
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "stuck", reason: { code: "needs_decision" } })
  expect(task.reason?.text).toBe("the key is unknown")
  await fleet.event(({ type }) => type === "session.ended")
  expect(readFileSync(join(task.repos[0]!.worktree!, "kept.txt"), "utf8")).toBe("kept\n")
  const peers = PeersDocument.parse(JSON.parse(readFileSync(join(fleet.steps, "peers"), "utf8")))
  expect(peers).toEqual({ peers: [] })

  expect((await fleet.coppice("answer", "-d", id, "maybe")).stderr).toContain("accept")
  await fleet.json(TaskDocument, ["answer", "-d", id, "accept"])
  const proposed = await fleet.until(String(Number(id) + 1))
  expect(proposed).toMatchObject({ title: "Write the docs", state: "complete" })
  expect(fleet.repo.git("show", "main:docs.txt")).toBe("d")
})

test("with require_done, an agent that ends its turn without `done` waits for a person", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { landing: { require_done: true } } })
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"], 1)
  expect(task).toMatchObject({ state: "stuck", reason: { code: "needs_decision" }, landing: null })
  expect(task.reason?.text).toContain("without saying `done`")
})
