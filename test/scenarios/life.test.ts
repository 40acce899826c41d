/** Scenarios S: what people do with a task while its agent works, waits or has ended. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { HomesDocument } from "../../src/api/wire/home.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { listHomes } from "../../src/index.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const shared = new Fleet({ repo: { gate: false } })
afterAll(() => shared[Symbol.asyncDispose]())

/** Notes that it has begun, and does not end before the test says so. */
const until = (go: string) => `while [ ! -f "$STEPS/${go}" ]; do sleep 0.05; done`
const refused = async (...args: string[]) => {
  const outcome = await shared.coppice(...args, "--json")
  expect(outcome.code, args.join(" ")).toBe(2)
  return JSON.parse(outcome.stdout).error as { code: string; message: string; hints: string[] }
}

describe("S13, S05, S14: a task that is paused", () => {
  test("a paused task has no process, even one that ignores TERM; resumed, it repeats the same turn [15.3]", async () => {
    const stubborn = 'trap "" TERM; (trap "" TERM; sleep 600) & child=$!'
    const first = `if [ ! -f made.txt ]; then ${stubborn}; fi; echo "$$ $child" >> "$STEPS/pids"`
    const id = await shared.start(`${first}; echo made >> made.txt; ${until("go-13")}`)
    const [pids = ""] = await waitFor("the agent", () => some(shared.noted("pids")))
    const running = pids
      .split(" ")
      .map((pid) => ({ pid: Number(pid), is: readIdentity(Number(pid)) }))
    expect(running.every(({ is }) => is !== undefined)).toBe(true)

    expect(await shared.json(TaskDocument, ["pause", id])).toMatchObject({ state: "paused" })
    expect(await shared.json(TaskDocument, ["pause", id])).toMatchObject({ state: "paused" })
    const isGone = () => running.every(({ pid, is }) => readIdentity(pid) !== is)
    await waitFor("the end of its processes", isGone, 5_000)
    const why = await shared.json(WhyDocument, ["why", id])
    expect(why.unblock).toContain(`coppice resume ${id}`)
    expect((await refused("say", "-d", id, "More.")).hints.join()).toContain(`coppice resume ${id}`)

    const before = await shared.client.show(id)
    expect(readFileSync(join(before.repos[0]!.worktree!, "made.txt"), "utf8")).toBe("made\n")
    await shared.json(TaskDocument, ["resume", "-d", id])
    await waitFor("the agent again", () => shared.noted("pids").length === 2)
    expect(await shared.json(TaskDocument, ["resume", "-d", id])).toMatchObject({
      state: "working",
    })

    await shared.json(TaskDocument, ["say", "-d", id, "And say goodbye."])
    shared.step(2, 'cat > "$STEPS/said"; echo bye >> made.txt')
    writeFileSync(join(shared.steps, "go-13"), "")
    const done = await shared.until(id)
    rmSync(join(shared.steps, "2"))
    expect(done).toMatchObject({ state: "complete", usage: { turns: 2 } })
    expect(done.sessionId).toBe(before.sessionId)
    expect(readFileSync(join(shared.steps, "said"), "utf8")).toContain("And say goodbye.")
    expect(shared.repo.git("show", "main:made.txt")).toBe("made\nmade\nbye")
  })
})

test("S01, S04, S25: a complete task goes on in the same conversation, from the present target [15.5]", async () => {
  const id = await shared.start("echo one > first.txt")
  const first = await shared.until(id)
  expect(first).toMatchObject({ state: "complete" })
  for (const verb of ["pause", "cancel", "restart"])
    expect(await refused(verb, id)).toMatchObject({ code: "task.refused" })
  shared.repo.commit({ "later.txt": "later\n" }, "later")
  shared.step(2, `cat > "$STEPS/resumed"; cp later.txt seen.txt; ${until("go-25")}`)

  const resumed = await shared.json(TaskDocument, ["resume", "-d", id, "Add the rest."])
  expect(resumed).toMatchObject({ state: "working", sessionId: first.sessionId })
  expect((await refused("restart", "-d", id)).message).toContain("working")
  await waitFor("the prompt", () => some(shared.noted("resumed")))
  expect(shared.noted("resumed").join("\n")).toContain("Add the rest.")
  writeFileSync(join(shared.steps, "go-25"), "")
  const again = await shared.until(id)
  rmSync(join(shared.steps, "2"))
  expect(again).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(again.landing?.id).not.toBe(first.landing?.id)
  expect(shared.repo.git("show", "main:seen.txt")).toBe("later")
  expect(shared.leftovers()).toEqual([])
})

describe("S06, S07, S15: a task that is deleted", () => {
  test("a deleted task is ended, saved and removed, with its record; its events stay [15.8]", async () => {
    const id = await shared.start(`sleep 600 & echo $! > "$STEPS/child"; echo w > work.txt; wait`)
    const [child = ""] = await waitFor("the agent", () => some(shared.noted("child")))
    const is = readIdentity(Number(child))
    const { repos } = await shared.client.show(id)
    const gone = await shared.json(TaskDocument, ["delete", id])
    expect(gone).toMatchObject({ id, deletion: { state: "done" } })
    expect(readIdentity(Number(child))).not.toBe(is)
    expect(await refused("show", id)).toMatchObject({ code: "task.not_found" })
    expect(shared.leftovers()).toEqual([])
    expect(shared.repo.git("show", `refs/coppice/rescue/${id}/1:work.txt`)).toBe("w")
    expect(existsSync(repos[0]!.worktree!)).toBe(false)
    const { events } = await shared.client.events({ task: id })
    expect(events.at(-1)).toMatchObject({ type: "task.deleted" })
  })

  test("a deleted task leaves its worktree with --keep-worktree", async () => {
    const id = await shared.start("echo k > kept.txt; exit 75")
    const { repos } = await shared.until(id)
    const { worktree, branch } = repos[0]!
    await shared.json(TaskDocument, ["delete", id, "--keep-worktree"])
    expect(readFileSync(join(worktree!, "kept.txt"), "utf8")).toBe("k\n")
    expect(await refused("show", id)).toMatchObject({ code: "task.not_found" })
    shared.repo.git("worktree", "remove", "--force", worktree!)
    shared.repo.git("branch", "-D", branch!)
  })

  test("a task whose worktree cannot be removed stays as it was, says why, and goes on the next request [15.9]", async () => {
    const id = await shared.start(
      "git init -q inner; cd inner; git commit -q --allow-empty -m x; exit 75",
    )
    const before = await shared.until(id)
    const inner = join(before.repos[0]!.worktree!, "inner")
    const failed = await shared.json(TaskDocument, ["delete", id], 1)
    expect(failed).toMatchObject({ state: "stuck", deletion: { state: "failed" } })
    expect(failed.deletion?.reason).toContain("inner")
    expect(existsSync(inner)).toBe(true)
    rmSync(inner, { recursive: true })
    expect(await shared.json(TaskDocument, ["show", id])).toMatchObject({ deletion: null })
    await shared.json(TaskDocument, ["delete", id])
    expect(shared.leftovers()).toEqual([])
  })
})

test("S02, S03: a stuck task starts again with all that it needs; without its worktree it is refused [15.6]", async () => {
  const id = await shared.start("echo half > half.txt; echo Which colour?; exit 75")
  const stuck = await shared.until(id)
  expect(stuck).toMatchObject({ state: "stuck", reason: { code: "needs_decision" } })
  shared.step(2, 'cat > "$STEPS/brief"; cat half.txt > "$STEPS/half"; exit 75')
  await shared.json(TaskDocument, ["restart", "-d", id, "Blue."])
  const again = await shared.until(id, ({ state, usage }) => state === "stuck" && usage.turns >= 0)
  await waitFor("the brief", () => some(shared.noted("brief")))
  rmSync(join(shared.steps, "2"))
  const brief = readFileSync(join(shared.steps, "brief"), "utf8")
  for (const words of ["Which colour?", "A half.txt", "Blue."]) expect(brief).toContain(words)
  expect(shared.noted("half")).toEqual(["half"])
  expect(again.jobs.length).toBe(2)
  expect(again.repos).toEqual(stuck.repos)

  await shared.until(id)
  rmSync(stuck.repos[0]!.worktree!, { recursive: true })
  expect((await refused("restart", "-d", id)).message).toContain("is gone")
  await shared.json(TaskDocument, ["delete", id])
})

test("a plan is written first, sent back, approved, and carried out in the same conversation [16.1]", async () => {
  const note = 'echo "$COPPICE_TURN $COPPICE_PHASE" >> "$STEPS/phases"'
  shared.step(2, `${note}; cat > "$STEPS/feedback"; echo Plan B`)
  shared.step(3, `${note}; echo b > b.txt; echo done`)
  const plan = ["run", `${note}; echo stray > stray.txt; echo Plan A`, "--plan", "approve"]
  const planned = await shared.json(TaskDocument, plan)
  expect(planned).toMatchObject({ state: "planning_complete", attention: true, landing: null })
  expect(planned.plan).toMatchObject({ mode: "approve", text: "Plan A" })
  const { id, sessionId } = planned
  const { lines } = await shared.client.log(id)
  expect(lines.map(({ text }) => text).join("\n")).toMatch(/while planning: stray\.txt/)

  await shared.json(TaskDocument, ["reject", "-d", id, "Rather B."])
  const again = await shared.until(id, ({ plan }) => plan?.text === "Plan B")
  expect(shared.noted("feedback").join("\n")).toContain("Rather B.")
  const seenA = String(planned.plan?.id).slice(0, 12)
  expect((await refused("approve", "-d", id, "--plan", seenA)).code).toBe("approval.stale")
  expect(await shared.json(TaskDocument, ["approve", "-d", id])).toMatchObject({ sessionId })
  const done = await shared.until(id, ({ state }) => state === "complete")
  expect(done).toMatchObject({ sessionId: again.sessionId, usage: { turns: 3 } })
  expect(shared.noted("phases")).toEqual(["1 planning", "2 planning", "3 working"])
  expect(shared.repo.git("show", "main:b.txt")).toBe("b")
  for (const turn of ["2", "3"]) rmSync(join(shared.steps, turn))
})

test("attach gives the conversation to the agent's own program, and takes it back [15.10]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false },
    agents: { claude: { runtime: "claude" } },
  })
  const program = join(fleet.home.path, "claude")
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --resume ] || exit 3\n{ echo "$2"; pwd; } > "${fleet.steps}/attached"\n`,
    { mode: 0o755 },
  )
  fleet.extra["COPPICE_CLAUDE"] = program
  const stuck = await fleet.json(TaskDocument, ["run", "Say hello.", "--agent", "claude"], 1)
  expect(stuck).toMatchObject({ state: "stuck" })
  const back = await fleet.json(TaskDocument, ["attach", stuck.id])
  expect(back).toMatchObject({ state: "stuck", reason: stuck.reason })
  expect(fleet.noted("attached")).toEqual([stuck.sessionId, stuck.repos[0]?.worktree])
  const command = await fleet.start("echo ends; exit 75", "--agent", "sh")
  await fleet.until(command)
  const refusal = await fleet.coppice("attach", command, "--json")
  expect(JSON.parse(refusal.stdout).error.message).toContain("its agent is a command")
})

test("ls --all-homes reads every home, as the library does, and starts no daemon [15.16]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { id } = await fleet.json(TaskDocument, ["run", "exit 75", "--title", "Elsewhere"], 1)
  const look = async () => {
    const { homes } = await listHomes(fleet.env)
    expect(await fleet.json(HomesDocument, ["ls", "--all-homes"])).toEqual({ homes })
    return homes.map(({ home, running, tasks }) => ({
      home,
      running,
      tasks: tasks.map(({ id }) => id),
    }))
  }
  expect(await look()).toEqual([{ home: fleet.repo.path, running: true, tasks: [id] }])
  await fleet.coppice("down")
  expect(await look()).toEqual([{ home: fleet.repo.path, running: false, tasks: [id] }])
  expect((await fleet.coppice("ls", "--all-homes")).stdout).toContain("Elsewhere")
  expect(await fleet.client.status()).toMatchObject({ running: false })
})

/** @returns false where there is nothing yet. */
const some = (lines: string[]) => lines.length > 0 && lines
