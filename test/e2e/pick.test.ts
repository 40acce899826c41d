/** `run --agent a,b,c --pick`: several agents get one prompt, and a person picks the work that lands. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { AlternativesDocument, TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { TestRepo } from "../support/repo.ts"

const RUN = ["run", "Write it.", "--agent", "sh,second,broken", "--pick"]

/** Each writes the file `work.txt` in its own way. The gate refuses `bad`. */
function threeAgents(second = "two\ntwo"): Fleet {
  const fleet = new Fleet()
  const env = { STEPS: fleet.steps }
  const writing = (text: string) => ({
    runtime: "command",
    command: `printf '${text}' > work.txt`,
    env,
  })
  fleet.configure({
    repo: { gate: `echo "$COPPICE_TASK" >> '${fleet.steps}/gates'; ! grep -q bad work.txt` },
    sh: writing("one"),
    agents: { second: writing(second), broken: { runtime: "command", command: "exit 3", env } },
    limits: { concurrent: 3 },
  })
  return fleet
}

test("each alternative is gated and nothing lands; a failed one is shown and blocks none; approving one lands it and cancels the others [51.1, 51.2, 51.3]", async () => {
  await using fleet = threeAgents()
  const before = fleet.log()
  const { alternatives } = await fleet.json(AlternativesDocument, RUN)
  expect(alternatives).toMatchObject([
    { task: "1", agent: "sh", state: "in_approval", files: 1, gate: "passed", canPick: true },
    { task: "2", agent: "second", state: "in_approval", added: 2, gate: "passed" },
    { task: "3", agent: "broken", state: "stuck", files: 0, gate: null, canPick: false },
  ])
  expect(alternatives[2]?.reason).toContain("exited with 3")
  expect(fleet.noted("gates").toSorted()).toEqual(["1", "2"])
  expect(fleet.log()).toEqual(before)

  const picked = await fleet.json(TaskDocument, ["approve", "2"])
  expect(picked).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:work.txt")).toBe("two\ntwo")
  for (const id of ["1", "3"]) expect((await fleet.client.show(id)).state).toBe("cancelled")
  await fleet.event(({ type, task }) => type === "workspace.removed" && task === "1")
  const rescued = fleet.repo.git("for-each-ref", "refs/coppice/rescue/1")
  expect(rescued).not.toBe("")
  expect(fleet.noted("gates")).toHaveLength(2) // the result is remembered for the same tree
})

test("the table has the changes, gate and commands of each; a red gate goes back to its agent first [51.1, 51.4]", async () => {
  await using fleet = threeAgents("bad")
  const { stdout, code } = await fleet.coppice(...RUN)
  expect(code).toBe(0)
  expect(stdout).toMatch(/1 +sh +\S in_approval +1 file, \+1 -0 +passed/)
  expect(stdout).toMatch(/2 +second +\S merge_failed +1 file, \+1 -0 +failed/)
  expect(stdout).toMatch(/3 +broken +\S stuck/)
  expect(stdout).toMatch(
    /\n1 {2}sh\ndiff --git [^]*\n\+one\n[^]*\n2 {2}second\ndiff --git [^]*\n\+bad\n/,
  )
  expect(stdout.match(/`coppice (approve|why) \d`/g)).toEqual([
    "`coppice approve 1`",
    "`coppice why 2`",
    "`coppice why 3`",
  ])
  expect(fleet.noted("gates").filter((task) => task === "2").length).toBeGreaterThan(0)
})

test("a kill -9 right after the choice leaves it made: one lands, the others are cancelled [51.3]", async () => {
  await using fleet = threeAgents()
  await fleet.json(AlternativesDocument, RUN)
  await fleet.json(TaskDocument, ["approve", "1", "-d"])
  await fleet.kill()
  const done = await fleet.until("1", ({ state }) => state === "complete")
  expect(done.landing?.outcome).toBe("LANDED")
  expect((await fleet.client.show("2")).state).toBe("cancelled")
  expect((await fleet.coppice("approve", "2")).code).toBe(2)
})

test("`--pick` needs several agents, and says how each lands [51.5]", async () => {
  await using fleet = threeAgents()
  const one = await fleet.coppice("run", "x", "--agent", "sh", "--pick")
  expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining("several agents") })
  const landed = await fleet.coppice(...RUN, "--land", "merge")
  expect(landed).toMatchObject({ code: 2, stderr: expect.stringContaining("`--land`") })
  const twice = await fleet.coppice("run", "x", "--agent", "sh,second,sh", "--pick")
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("sh is named twice") })
  const unknown = await fleet.coppice("run", "x", "--agent", "sh,gone", "--pick")
  expect(unknown.code).toBe(2)
  expect((await fleet.client.list()).tasks).toEqual([]) // all of them, or none
})

test("only a repository with changes waits for the choice [51.3]", async () => {
  await using fleet = threeAgents()
  using web = new TestRepo()
  const sh = { runtime: "command", command: "echo one > work.txt" }
  const repos = { app: { gate: "true" }, web: { path: web.path, gate: "true" } }
  fleet.approve({ version: 1, repos, agents: { sh, second: sh } }, "two repositories")
  const run = [
    "run",
    "Write it.",
    "--agent",
    "sh,second",
    "--pick",
    "--repo",
    "app",
    "--repo",
    "web",
  ]
  await fleet.json(AlternativesDocument, run)
  const picked = await fleet.json(TaskDocument, ["approve", "1", "--repo", "app"])
  expect(picked).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
})

test("a long diff is cut, a control character in it is shown, and the whole diff has a command [51.6]", async () => {
  await using fleet = threeAgents(
    `\\033[31m${Array.from({ length: 100 }, (_, n) => n + 1).join("\\n")}`,
  )
  const { stdout } = await fleet.coppice(...RUN)
  const [, shown = ""] = /\n2 {2}second\n([^]*?)\n… `coppice diff 2`/.exec(stdout) ?? []
  expect(shown.split("\n")).toHaveLength(20)
  expect(shown).toMatch(/\n\+\\u\{1b\}\[31m1\n\+2\n[^]*\+14$/)
})

test("each alternative starts from the work of `--from` and gets the files of `--attach` [51.7]", async () => {
  await using fleet = threeAgents()
  const notes = join(fleet.repo.folder, "notes.txt")
  writeFileSync(notes, "remember\n")
  const worktree = fleet.repo.worktree("feature")
  fleet.repo.commit({ "feature.txt": "begun\n" }, "begin a feature", worktree)
  fleet.repo.git("worktree", "remove", "--force", worktree)
  const more = ["--from", "feature", "--attach", notes]
  const { alternatives } = await fleet.json(AlternativesDocument, [...RUN, ...more])
  expect(alternatives).toMatchObject([{ canPick: true, files: 2 }, { canPick: true }, {}])
  for (const id of ["1", "2", "3"])
    expect(await fleet.client.files(id)).toMatchObject({ files: [{ name: "notes.txt", bytes: 9 }] })
  await fleet.json(TaskDocument, ["approve", "2"])
  expect(fleet.repo.git("show", "main:feature.txt")).toBe("begun")
})
