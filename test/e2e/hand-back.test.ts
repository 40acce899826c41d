/** Work that cannot land as it is goes back to the agent that owns it, and then to a person. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EventsDocument, LogDocument } from "../../src/api/wire/events.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { shareFleet } from "../support/shared-fleet.ts"

const renewed = shareFleet()
/** Green on the target: it holds no bad.txt. */
const GATE = "echo looked for bad.txt; test ! -f bad.txt"

test("a red gate is the next turn's prompt, in the same session; green, it lands [3.1, 23.2]", async () => {
  const fleet = await renewed({ repo: { gate: GATE } })
  fleet.step(
    2,
    `cat > "$STEPS/prompt"; echo "$COPPICE_TURN $PWD" > "$STEPS/turn"; rm bad.txt; echo fixed`,
  )
  const task = await fleet.json(TaskDocument, ["run", "echo g > good.txt; echo b > bad.txt"])
  expect(task).toMatchObject({ state: "complete", usage: { turns: 2 }, jobs: [{ id: "1" }] })
  expect(task.landing).toMatchObject({ outcome: "LANDED", handbacks: 1 })
  expect(task.jobs[0]?.sessions).toEqual([task.sessionId])

  const prompt = readFileSync(join(fleet.steps, "prompt"), "utf8")
  expect(prompt).toContain("exited with 1")
  expect(prompt).toContain("looked for bad.txt")
  const { events } = await fleet.json(EventsDocument, ["events", task.id])
  const worktree = events.find(({ type }) => type === "workspace.ready")?.data["worktree"]
  expect(fleet.noted("turn")).toEqual([`2 ${worktree}`])
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("bad.txt")
  expect(fleet.repo.git("show", "main:good.txt")).toBe("g")
  const { lines } = await fleet.json(LogDocument, ["logs", task.id])
  expect(lines).toContainEqual(expect.objectContaining({ turn: 2, text: "fixed" }))
})

test("after max_handbacks a person has to act, and the person's change lands it", async () => {
  const fleet = await renewed({ repo: { gate: GATE }, sh: { landing: { max_handbacks: 1 } } })
  const main = fleet.repo.tip("main")
  fleet.step(2, "true")
  fleet.step(3, "rm bad.txt")
  const failed = await fleet.json(TaskDocument, ["run", "echo b > bad.txt; echo w > work.txt"], 1)
  expect(failed).toMatchObject({ state: "merge_failed", attention: true, usage: { turns: 2 } })
  expect(failed.reason?.text).toMatch(/^the gate `.*` exited with 1/)
  const outcome = "PRE_MERGE_FAILED"
  expect(failed.landing).toMatchObject({ state: "failed", outcome, handbacks: 1 })
  expect((await fleet.coppice("show", failed.id)).stdout).toMatch(
    /landing +\d+: failed: tests failed/,
  )
  expect(fleet.repo.tip("main")).toBe(main)
  const worktree = failed.repos[0]?.worktree
  expect(readFileSync(join(worktree!, "work.txt"), "utf8")).toBe("w\n")
  expect((await fleet.json(WhyDocument, ["why", failed.id])).unblock).toContain("coppice restart")

  await fleet.json(TaskDocument, ["restart", "-d", failed.id])
  const landed = await fleet.until(failed.id)
  expect(landed).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:work.txt")).toBe("w")
  expect(existsSync(worktree!)).toBe(false)
})

test("a conflict is handed back with its facts, and lands when it is resolved [23.2]", async () => {
  // A home of its own, in which no earlier landing has looked at the target: the agent may rebase before the next look.
  await using fleet = new Fleet()
  fleet.configure({ repo: { gate: false } })
  fleet.step(
    2,
    `cat > "$STEPS/prompt"
    git rebase main && exit 9
    printf 'theirs\\nours\\n' > README.md
    git add README.md && GIT_EDITOR=true git rebase --continue`,
  )
  const work = "echo ours > README.md; git commit -qam ours"
  const id = await fleet.start(`${work}; while [ ! -f "$STEPS/go" ]; do sleep 0.05; done`)
  await fleet.event(({ type, task }) => type === "turn.began" && task === id)
  fleet.repo.commit({ "README.md": "theirs\n" }, "theirs")
  fleet.noted("go")

  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { handbacks: 1, outcome: "LANDED" } })
  const prompt = readFileSync(join(fleet.steps, "prompt"), "utf8")
  for (const fact of ["README.md", "theirs", "ours", "git rebase main", "<<<<<<<"])
    expect(prompt).toContain(fact)
  expect(readFileSync(join(fleet.repo.path, "README.md"), "utf8")).toBe("theirs\nours\n")
  expect(fleet.log().slice(0, 2)).toEqual(["ours", "theirs"])
})

test("a gate that is red on the target too is not handed back, and waits for the target [17.12]", async () => {
  const fleet = await renewed({ repo: { gate: "test ! -f broken.txt" } })
  fleet.repo.commit({ "broken.txt": "x\n" })
  const id = "RED-1"
  const run = await fleet.coppice("run", "echo w > work.txt", "--work-item", id)
  expect(run).toMatchObject({ code: 1, stdout: /unblock: / })
  await fleet.until(id, ({ landing }) => landing?.outcome === "TARGET_RED")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toContain("red on main itself")
  expect(await fleet.coppice("watch", id)).toMatchObject({
    code: 1,
    stdout: /TARGET_RED|red on main/,
  })

  fleet.repo.commit({ "broken.txt": null })
  await fleet.json(TaskDocument, ["land", "-d", id])
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { handbacks: 0 }, usage: { turns: 1 } })
})

test("a conflict that is left is shown to people: files, kinds, both sides' commits, the parts [23.1]", async () => {
  const fleet = await renewed({ repo: { gate: false }, sh: { landing: { max_handbacks: 0 } } })
  const work = "echo ours > README.md; git commit -qam 'ours it is'"
  const id = await fleet.start(`${work}; while [ ! -f "$STEPS/go" ]; do sleep 0.05; done`)
  await fleet.event(({ type, task }) => type === "turn.began" && task === id)
  fleet.repo.commit({ "README.md": "theirs\n" }, "theirs it is")
  fleet.noted("go")
  const task = await fleet.until(id)
  expect(task).toMatchObject({
    state: "merge_failed",
    landing: {
      conflict: { repo: "app", more: 0, paths: [{ path: "README.md", kind: "content" }] },
    },
  })
  const shown = (await fleet.coppice("show", id)).stdout
  const facts = ["README.md (content): changed on both sides", "theirs it is", "ours it is"]
  for (const fact of [...facts, "<<<<<<< target", ">>>>>>> yours"]) expect(shown).toContain(fact)
  expect(shown.match(/README\.md \(content\)|conflicts with main in README\.md/g)).toHaveLength(1)
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.paths).toEqual(["README.md"])
  expect(why.waitingFor).toContain("a person: conflicts with main in README.md")
})
