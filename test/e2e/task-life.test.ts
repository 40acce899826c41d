/** The life of a task as a person sees it: every command, what it prints, how it ends. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import {
  EventDocument,
  EventsDocument,
  LogDocument,
  LogLineDocument,
} from "../../src/api/wire/events.ts"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Shared by what leaves nothing behind. */
const shared = new Fleet({ repo: { gate: false } })
afterAll(() => shared[Symbol.asyncDispose]())

describe("documents", () => {
  test("run prints the task that it has seen complete", async () => {
    const task = await shared.json(TaskDocument, [
      ...["run", "echo one > one.txt; echo said", "--title", "The first", "--work-item", "gh-1"],
    ])
    expect(task).toMatchObject({ title: "The first", agent: "sh", state: "complete" })
    expect(task).toMatchObject({ workItem: "gh-1", reason: null, attention: false })
    expect(task.repos).toMatchObject([
      { name: "app", path: shared.repo.path, target: "main", branch: "agent/sh/gh-1" },
    ])
    expect(task.repos[0]).toMatchObject({ worktree: null, head: shared.repo.tip("main") })
    expect(task.jobs).toMatchObject([{ state: "ended", sessions: [task.sessionId] }])
    expect(task.jobs[0]).toMatchObject({ summary: "said", error: null })
    expect(task.jobs[0]!.durationMs).toBeGreaterThan(0)
    expect(task.landing).toMatchObject({ state: "landed", outcome: "LANDED", handbacks: 0 })
    expect(task.usage.turns).toBe(1)
    expect(shared.repo.git("show", "main:one.txt")).toBe("one")
    expect(readFileSync(join(shared.repo.path, "one.txt"), "utf8")).toBe("one\n")
  })

  test("show, ls, logs, events, why and status print what their schemas say [35.2]", async () => {
    const task = await shared.json(TaskDocument, ["show", "gh-1"])
    expect(await shared.json(TaskDocument, ["show", "The fir"])).toEqual(task)
    expect(await shared.json(TaskDocument, ["show", "agent/sh/gh-1"])).toEqual(task)
    const { tasks } = await shared.json(TasksDocument, ["ls"])
    expect(tasks).toContainEqual(task)
    const { lines } = await shared.json(LogDocument, ["logs", task.id])
    expect(lines.map(({ kind, text }) => ({ kind, text }))).toContainEqual({
      kind: "output",
      text: "said",
    })
    const { events } = await shared.json(EventsDocument, ["events", task.id])
    const types = events.map(({ type }) => type)
    expect(types[0]).toBe("task.created")
    expect(types).toEqual(expect.arrayContaining(["turn.began", "turn.ended", "landing.published"]))
    expect(types.at(-1)).toBe("task.landed")
    expect(await shared.json(WhyDocument, ["why", task.id])).toEqual({
      task: task.id,
      agent: "sh",
      standIn: null,
      waitingFor: null,
      since: null,
      unblock: null,
      paths: [],
    })
    const status = await shared.json(StatusDocument, ["status"])
    expect(status).toMatchObject({ running: true, home: shared.repo.path })
    expect(status.tasks["complete"]).toBeGreaterThan(0)
  })

  test("-f prints one document a line, and ends with the task [35.2]", async () => {
    const id = await shared.start("echo a; echo b")
    const followed = await shared.coppice("logs", id, "-f", "--json")
    const lines = followed.stdout.trim().split("\n")
    const texts = lines.map((line) => LogLineDocument.parse(JSON.parse(line)).text)
    expect(texts.filter((text) => /^[ab]$/.test(text))).toEqual(["a", "b"])
    const { events } = await shared.client.events({ task: id })
    expect(events.map((event) => EventDocument.parse(event).task)).toEqual(events.map(() => id))
  })
})

test("without changes a task completes, and says what the agent said last [15.14]", async () => {
  const before = shared.repo.tip("main")
  const task = await shared.json(TaskDocument, ["run", "echo May I?"])
  expect(task).toMatchObject({ state: "complete", reason: { code: "no_changes" } })
  expect(task.reason?.text).toContain("May I?")
  expect(task.repos[0]?.worktree).toBeNull()
  expect(shared.repo.tip("main")).toBe(before)
  expect(shared.repo.git("for-each-ref", "refs/heads/agent")).toBe("")
})

test("--land none keeps worktree and branch, with leftovers committed, until `land`, which lands once [17.19, 25.20]", async () => {
  const work = "echo k > kept.txt; git add .; echo l > left.txt; echo It is done."
  const kept = await shared.json(TaskDocument, ["run", work, "--land", "none"])
  const [repo] = kept.repos
  expect(shared.repo.git("log", "-1", "--format=%s", repo!.branch!)).toBe("agent: It is done.")
  expect(shared.repo.gitIn(repo!.worktree!, "status", "--porcelain")).toBe("")
  expect(shared.repo.git("show", `${repo!.branch}:left.txt`)).toBe("l")
  expect(kept).toMatchObject({ state: "complete", landing: null })
  expect(readFileSync(join(repo!.worktree!, "kept.txt"), "utf8")).toBe("k\n")
  expect(existsSync(join(shared.repo.path, "kept.txt"))).toBe(false)
  const { stdout } = await shared.coppice("show", kept.id)
  expect(stdout).toContain(`Next step: \`coppice land ${kept.id}\` lands it`)

  await shared.json(TaskDocument, ["land", kept.id])
  const landed = await shared.until(kept.id, ({ landing }) => landing?.state === "landed")
  expect(landed).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(existsSync(repo!.worktree!)).toBe(false)
  expect(shared.repo.git("show", "main:kept.txt")).toBe("k")
  const again = await shared.coppice("land", kept.id, "--json")
  expect(again.code).toBe(2)
  expect(JSON.parse(again.stdout).error).toMatchObject({ code: "task.refused", blame: "user" })
})

test("a checkout in the way makes the landing wait, names the paths, and lands once it is clean [5.3]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  fleet.repo.write({ "README.md": "mine\n", "other.txt": "mine too\n" })
  const id = await fleet.start("echo theirs > README.md")
  await fleet.until(id, ({ landing }) => landing?.outcome === "DIRTY_MAIN")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.paths).toEqual(["README.md"])
  expect(why.unblock).toContain("commit, stash or move")
  expect(readFileSync(join(fleet.repo.path, "README.md"), "utf8")).toBe("mine\n")

  fleet.repo.git("checkout", "README.md")
  const task = await fleet.until(id)
  expect(task).toMatchObject({ state: "complete", landing: { attempts: 0 } })
  expect(readFileSync(join(fleet.repo.path, "README.md"), "utf8")).toBe("theirs\n")
  expect(readFileSync(join(fleet.repo.path, "other.txt"), "utf8")).toBe("mine too\n")
})

test("a stopped task is found where a person moved its worktree: shown, compared and restarted there [26.1]", async () => {
  const { repo } = shared
  const file = "moved.txt"
  const prompt = `if test -e ${file}; then echo two >> ${file}; exit 0; else echo one > ${file}; exit 1; fi`
  const { id, repos } = await shared.json(TaskDocument, ["run", prompt], 1)
  const moved = join(repo.folder, "moved-by-hand")
  repo.git("worktree", "move", repos[0]?.worktree ?? "", moved)
  expect((await shared.coppice("open", id)).stdout).toBe(`${moved}\n`)
  expect((await shared.coppice("diff", id)).stdout).toContain("+one")
  await shared.json(TaskDocument, ["restart", id])
  expect(repo.git("show", `main:${file}`)).toBe("one\ntwo")
  expect(existsSync(moved)).toBe(false)
})

test("an ignored .env is there for the agent, and never committed", async () => {
  await using fleet = new Fleet({ repo: { gate: false, copy: [".env"] } })
  fleet.repo.commit({ ".gitignore": ".env\n" })
  fleet.repo.write({ ".env": "SECRET=1\n" })
  const task = await fleet.json(TaskDocument, ["run", "rm .gitignore; wc -c < .env > seen.txt"])
  expect(task.state).toBe("complete")
  expect(fleet.repo.git("show", "main:seen.txt").trim()).toBe("9")
  expect(fleet.repo.git("log", "--all", "--format=%H", "--", ".env")).toBe("")
  expect(readFileSync(join(fleet.repo.path, ".env"), "utf8")).toBe("SECRET=1\n")
})

test("status starts no daemon, and down and up are where the tasks go on [30.4]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const stopped = await fleet.json(StatusDocument, ["status"])
  expect(stopped).toMatchObject({ running: false, pid: null, address: null, tasks: {} })
  const wait = 'echo x >> "$STEPS/begun"; while [ ! -f "$STEPS/go" ]; do sleep 0.05; done'
  const id = await fleet.start(`${wait}; echo $COPPICE_TURN > done.txt`)
  await fleet.event(({ type }) => type === "turn.began")

  await fleet.json(StatusDocument, ["down"])
  expect(await fleet.json(StatusDocument, ["status"])).toMatchObject({ running: false })
  writeFileSync(join(fleet.steps, "go"), "")
  expect(await fleet.json(StatusDocument, ["up", "-d"])).toMatchObject({ running: true })
  expect(await fleet.until(id)).toMatchObject({ state: "complete", jobs: [{ id: "1" }] })
  expect(fleet.repo.git("show", "main:done.txt")).toBe("1")
})
