/** Files that set-up makes, that `copy` places, or that are suspiciously many do not land as work. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { ConfigDocument } from "../../src/api/wire/home.ts"
import { LandingPlanDocument } from "../../src/api/wire/landings.ts"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { AddedWorktreeDocument } from "../../src/features/clean-up/wire.ts"
import { RescuesDocument } from "../../src/features/recover/wire.ts"
import { Fleet } from "../support/fleet.ts"

/** Like a virtual environment and packages that no .gitignore names, an install, and a generator. */
const SETUP = `mkdir -p .venv/bin .venv/lib; touch .venv/pyvenv.cfg; echo py > .venv/bin/python
  mkdir gen; for n in $(seq 700); do echo "module $n" > gen/m$n.py; done
  echo generated > generated.lock; echo touched by set-up >> README.md`
/** The commands of a prompt are the lines that it indents. */
const DO_AS_TOLD = `cat > "$STEPS/prompt"; sed -n 's/^    //p' "$STEPS/prompt" > "$STEPS/told"; sh -x "$STEPS/told"; true`
const GATE = "test -f .venv/bin/python && test -f generated.lock"

const landed = (fleet: Fleet) =>
  fleet.repo.git("show", "--name-status", "--format=", "main").split("\n")

test("files that set-up made or changed do not land; the report says so, and what is put back is saved [18.1, 18.3]", async () => {
  await using fleet = new Fleet({ repo: { setup: SETUP, gate: GATE } })
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(landed(fleet)).toEqual(["A\twork.txt"])
  const { events } = await fleet.json(EventsDocument, ["events", task.id])
  const report = events.find(({ type }) => type === "workspace.report")?.data
  expect(report).toMatchObject({ leftCount: 701, putBack: ["README.md"], putBackCount: 1 })
  const { stdout: log } = await fleet.coppice("logs", task.id)
  expect(log).toContain("set-up left 701 untracked files (700 files in gen, generated.lock)")
  expect(log).toContain("add them to .gitignore")
  expect(log).toContain("set-up changed README.md: put back as committed")
  const rescues = events.filter(({ type }) => type === "rescue.made")
  expect(rescues.map(({ data }) => data)).toMatchObject([{ paths: ["README.md"] }])
  expect(fleet.leftovers()).toEqual([])
})

test("a set-up that changes a tracked file alike for each task makes one rescue, until it changes it otherwise [18.3]", async () => {
  const setup = `cat "$STEPS/version" > lock.json`
  await using fleet = new Fleet({ repo: { setup, gate: false } })
  fleet.repo.commit({ "lock.json": "{}" })
  const rescued = async () => (await fleet.json(RescuesDocument, ["recover"])).rescues.length
  writeFileSync(join(fleet.steps, "version"), "1")
  for (const name of ["a", "b", "c"]) await fleet.coppice("run", `echo ${name} > ${name}.txt`)
  expect(await rescued()).toBe(1)
  writeFileSync(join(fleet.steps, "version"), "2")
  await fleet.coppice("run", "echo d > d.txt")
  expect(await rescued()).toBe(2)
})

test("a set-up that changes a tracked file and makes another that it depends on runs once [18.3]", async () => {
  const setup = `echo ran >> "$STEPS/setup"; echo '{"a":1}' > package.json; echo '{}' > package-lock.json`
  await using fleet = new Fleet({ repo: { setup, check: "echo c > checked.txt", gate: false } })
  fleet.repo.commit({ "package.json": "{}" })
  fleet.step(1, "exit 75")
  fleet.step(2, "echo w > work.txt")
  const task = await fleet.json(TaskDocument, ["run", "Do it"], 1)
  await fleet.coppice("restart", "-d", task.id)
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("setup")).toEqual(["ran"])
  expect(landed(fleet)).toEqual(["A\twork.txt"])
})

test("an agent's change to such a file is work, also if set-up changed it before [18.2]", async () => {
  await using fleet = new Fleet({ repo: { setup: SETUP, gate: GATE } })
  const work = "echo mine >> README.md; echo mine > generated.lock; git add -A"
  expect(await fleet.json(TaskDocument, ["run", work])).toMatchObject({ state: "complete" })
  expect(landed(fleet)).toEqual(["M\tREADME.md", "A\tgenerated.lock"])
  expect(fleet.repo.git("show", "main:README.md")).toBe("hello\nmine")
})

test("a commit of files that set-up made is handed back with commands that take them out [18.6]", async () => {
  await using fleet = new Fleet({ repo: { setup: SETUP, gate: GATE } })
  fleet.step(2, DO_AS_TOLD)
  const work =
    "echo w > work.txt; git add -A; git commit -qm everything; git rm -rq --cached gen; git commit -qm less"
  const task = await fleet.json(TaskDocument, ["run", work])
  expect(task).toMatchObject({ state: "complete", landing: { handbacks: 1, outcome: "LANDED" } })
  const prompt = readFileSync(join(fleet.steps, "prompt"), "utf8")
  expect(prompt).toContain("files that set-up made (700 files in gen, generated.lock)")
  expect(
    fleet.repo.git(
      "log",
      "--format=",
      "--name-only",
      "main",
      "--",
      ".venv",
      "gen",
      "generated.lock",
    ),
  ).toBe("")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("w")
})

test("config check warns of files that would be placed and that git does not ignore [18.7]", async () => {
  await using fleet = new Fleet({ repo: { copy: [".env*", "absent"], link: ["data/"] } })
  fleet.repo.write({ ".env": "A\n", ".env.local": "B\n", "data/big": "d\n", "other.txt": "o\n" })
  const check = () => fleet.json(ConfigDocument, ["config", "check"])
  const warning = expect.stringMatching(
    /^repos\.app: git does not ignore \.env, \.env\.local, data\/big, which/,
  )
  expect((await check()).warnings).toEqual([warning])
  expect((await fleet.coppice("config", "check")).stdout).toContain("Warning: repos.app: git does")
  fleet.repo.commit({ ".gitignore": ".env*\ndata\n" })
  expect((await check()).warnings).toEqual([])
})

test("a placed secret never lands, whatever its name is; every advice takes it out [18.5]", async () => {
  const repo = { copy: [".env"], link: ["data"], gate: false, setup: false }
  await using fleet = new Fleet({ repo, sh: { landing: { max_handbacks: 1 } } })
  fleet.repo.write({ ".env": "TOKEN=very-secret\n", "data/big": "d\n" })
  fleet.step(2, "true")
  fleet.step(3, "true") // landing again gives it another chance
  fleet.step(4, DO_AS_TOLD)
  const work = "echo w > work.txt; cp .env config.ini; git add -A; git commit -qm everything"
  const failed = await fleet.json(TaskDocument, ["run", work], 1)
  expect(failed).toMatchObject({ state: "merge_failed", landing: { handbacks: 1 } })
  expect(failed.reason?.text).toContain(
    "its commits add .env, data, which `copy` or `link` placed; and config.ini, a copy of a placed file",
  )
  const { stdout: log } = await fleet.coppice("logs", failed.id)
  expect(log).toContain("git does not ignore .env, data, which `copy` or `link` put there")
  fleet.repo.git("switch", "--quiet", "--create", "elsewhere") // no checkout of main is in the way
  await fleet.coppice("land", failed.id)
  await fleet.until(failed.id, ({ state, usage }) => state === "merge_failed" && usage.turns === 3)
  expect(fleet.repo.git("ls-tree", "-r", "--name-only", "main")).not.toMatch(/env|data|config/)

  await fleet.json(TaskDocument, ["restart", "-d", failed.id])
  expect(await fleet.until(failed.id)).toMatchObject({ state: "complete" })
  expect(
    fleet.repo.git("log", "--format=", "--name-only", "main", "--", ".env", "data", "config.ini"),
  ).toBe("")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("w")
  expect(readFileSync(join(fleet.repo.path, ".env"), "utf8")).toBe("TOKEN=very-secret\n")
})

test("too many leftovers wait for a person, who commits or removes them [18.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, setup: false } })
  const work = "mkdir out; for n in $(seq 600); do echo $n > out/$n; done"
  const id = await fleet.start(work)
  const task = await fleet.until(id, ({ landing }) => landing?.outcome === "TOO_MUCH_LEFT")
  expect(task).toMatchObject({ state: "merging", attention: true })
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toContain("600 new files that no commit has")
  expect(why.waitingFor).toContain("600 files in out")
  const worktree = task.repos[0]?.worktree ?? ""
  expect(existsSync(join(worktree, "out/600"))).toBe(true)
  expect(why.waitingFor).toContain(`git -C ${worktree} add -A`)
  expect(why.unblock).toContain(`coppice land ${id}`)

  fleet.repo.gitIn(worktree, "add", "-A")
  fleet.repo.gitIn(worktree, "commit", "-qm", "as it is")
  await fleet.json(TaskDocument, ["land", "-d", id])
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("ls-tree", "-r", "--name-only", "main", "out/").split("\n")).toHaveLength(
    600,
  )
})

test("a large file that is left behind waits for a person too [18.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, setup: false } })
  const id = await fleet.start("truncate -s 60M big.bin")
  await fleet.until(id, ({ landing }) => landing?.outcome === "TOO_MUCH_LEFT")
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toMatch(/60 MiB that no commit has .*\(big\.bin\)/)
  await fleet.coppice("cancel", id)
})

test("a person's edits that are hidden from git are rescued as they are, and never published [18.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test $(cat a.txt) = a" } })
  fleet.repo.commit({ "a.txt": "a\n", "b.txt": "b\n", ".gitattributes": "*.txt text=auto\n" })
  const { task } = await fleet.json(AddedWorktreeDocument, ["worktree", "add", "By hand"])
  const worktree = task.repos[0]?.worktree ?? ""
  fleet.repo.write({ "a.txt": "password\r\n", "b.txt": "local\n", "work.txt": "w\n" }, worktree)
  fleet.repo.gitIn(worktree, "update-index", "--skip-worktree", "a.txt")
  fleet.repo.gitIn(worktree, "update-index", "--assume-unchanged", "b.txt")
  const { stdout: diff } = await fleet.coppice("diff", task.id)
  expect(diff).not.toContain("password")

  const done = await fleet.json(TaskDocument, ["worktree", "land", task.id])
  expect(done).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(landed(fleet)).toEqual(["A\twork.txt"])
  const { rescues } = await fleet.json(RescuesDocument, ["recover"])
  const [rescue] = rescues.filter(({ filesInAll }) => filesInAll > 0)
  expect(rescue?.files.map(({ path }) => path)).toEqual(["a.txt", "b.txt"])
  const { stdout } = await fleet.coppice("recover", rescue?.ref ?? "")
  expect(stdout).toContain("git cat-file blob")
  const branch = /^(\S+) in /.exec(stdout)?.[1]
  expect(fleet.repo.git("cat-file", "-s", `${branch}:a.txt`)).toBe("10")
})

test("a person's branch with a file that copy would place does not land, and the reason says how to go on [18.6]", async () => {
  await using fleet = new Fleet({ repo: { copy: [".env*"], gate: false } })
  fleet.repo.git("switch", "--quiet", "--create", "mine")
  fleet.repo.commit({ ".env.local": "TOKEN=very-secret\n", "work.txt": "w\n" }, "all")
  fleet.repo.git("switch", "--quiet", "main")
  const plan = await fleet.json(LandingPlanDocument, ["land", "mine", "--dry-run"], 1)
  const reason = expect.stringContaining(
    "its commits add .env.local, which `copy` or `link` placed",
  )
  expect(plan.repos).toMatchObject([{ way: "refused", reason }])
  const failed = await fleet.json(TaskDocument, ["land", "mine"], 1)
  expect(failed).toMatchObject({ state: "merge_failed", landing: { outcome: "FOREIGN_FILES" } })
  const { stdout: log } = await fleet.coppice("logs", failed.id)
  const told = [...log.matchAll(/^ {2,8}(git .*)$/gm)].map(([, line]) => line)
  expect(told[0]).toBe("git switch mine")
  execFileSync("sh", ["-ec", told.join("\n")], { cwd: fleet.repo.path, env: fleet.repo.env })
  fleet.repo.git("switch", "--quiet", "main")
  await fleet.json(TaskDocument, ["land", failed.id])
  expect(await fleet.until(failed.id)).toMatchObject({ state: "complete" })
  expect(landed(fleet)).toEqual(["A\twork.txt"])
})

test.each(["", "node_modules\n"])(
  "a folder of a tool that its agent committed by force is handed back; .gitignore: '%s' [18.6]",
  async (ignored) => {
    const setup = "mkdir -p node_modules/a; echo a > node_modules/a/index.js"
    await using fleet = new Fleet({ repo: { setup, gate: false } })
    fleet.repo.commit({ ".gitignore": ignored })
    fleet.step(2, DO_AS_TOLD)
    const work = "echo b > node_modules/b.js; echo w > work.txt; git add -f node_modules work.txt"
    const task = await fleet.json(TaskDocument, ["run", `${work}; git commit -qm all`])
    expect(task).toMatchObject({ state: "complete", landing: { handbacks: 1 } })
    expect(landed(fleet)).toEqual(["A\twork.txt"])
    const { events } = await fleet.json(EventsDocument, ["events", task.id])
    expect(JSON.stringify(events)).toMatch(
      /add files that set-up made \(\d files in node_modules\)/,
    )
  },
)

test("a result that git ignores is rescued and named; what set-up and gate wrote there is not [4.16]", async () => {
  const setup = "mkdir -p out; echo s > out/setup.txt"
  await using fleet = new Fleet({ repo: { setup, gate: "echo g > out/gate.txt" } })
  fleet.repo.commit({ ".gitignore": "out/\n" })
  const alone = await fleet.json(TaskDocument, ["run", "echo r > out/report.md"])
  expect(alone).toMatchObject({ state: "complete", reason: { code: "no_changes" } })
  expect(alone.reason?.text).toContain("git ignores, which did not land: out/report.md (saved in")
  const landed = await fleet.json(TaskDocument, ["run", "echo w > w.txt; echo n > out/notes.md"])
  expect(landed.landing?.outcome).toBe("LANDED")
  const { rescues } = await fleet.json(RescuesDocument, ["recover"])
  const files = rescues.map(({ files }) => files.map(({ path }) => path))
  expect(files.toSorted()).toEqual([["out/notes.md"], ["out/report.md"]])
  expect((await fleet.coppice("show", landed.id)).stdout).toContain("out/notes.md")
})

test("a person's stash that an agent pops is put back, and taken out of the work before it lands [2.15, 4.18]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  fleet.repo.write({ "README.md": "half done\n" })
  fleet.repo.git("stash", "--quiet")
  const list = fleet.repo.git("stash", "list")
  const main = fleet.repo.tip("main")
  fleet.step(2, DO_AS_TOLD)
  const work = "echo w > work.txt; git stash -q; git stash pop -q"
  const task = await fleet.json(TaskDocument, ["run", work])
  expect(task).toMatchObject({ state: "complete", landing: { handbacks: 1 } })
  expect(fleet.repo.git("diff", "--name-status", main, "main")).toBe("A\twork.txt")
  expect(fleet.repo.git("stash", "list")).toBe(list)
  const { stdout: log } = await fleet.coppice("logs", task.id)
  expect(log).toContain(`Its agent popped the stash "WIP on main: `)
  expect(fleet.leftovers()).toEqual(["refs/stash"])
})
