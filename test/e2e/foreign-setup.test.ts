/** Set-ups that a repository configures for other tools: read, shown, and run only as approved. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { DoctorDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"

const CURSOR = ".cursor/worktrees.json"
const WORK = 'cp made work.txt; cp root "$STEPS/root"'

/** A set-up that leaves two files: its text, and where the repository is. */
const setUp = (text: string) =>
  JSON.stringify({ "setup-worktree": [`echo ${text} > made`, "echo $ROOT_WORKTREE_PATH > root"] })

test("a set-up from .cursor/worktrees.json runs once a person approved it, and as approved [32.10]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { repo } = fleet
  repo.commit({ [CURSOR]: setUp("one"), ".gitignore": "made\nroot\n" }, "for another tool")
  const refused = await fleet.coppice("run", WORK)
  expect(refused).toMatchObject({ code: 2, stdout: "" })
  expect(refused.stderr).toContain(`${CURSOR} of app names the set-up of its worktrees`)
  expect(refused.stderr).toContain("coppice trust")
  const shown = await fleet.coppice("trust")
  expect(shown.stdout).toContain(`set-up of app, from ${CURSOR}`)
  expect(shown.stdout).toContain("echo one > made")

  expect((await fleet.coppice("trust", "--yes")).code).toBe(0)
  const first = await fleet.coppice("run", WORK)
  expect(first.stdout).toMatch(/note +set-up from \.cursor\/worktrees\.json/)
  expect(repo.git("show", "main:work.txt")).toBe("one")
  expect(fleet.noted("root")).toEqual([repo.path])
  expect((await fleet.coppice("config", "explain", "repos.app.setup")).stdout).toContain(
    `(from ${CURSOR})`,
  )

  // A change, which an agent may have landed, runs nothing new and asks again.
  repo.commit({ [CURSOR]: setUp("two") }, "another set-up")
  expect(await fleet.coppice("run", WORK)).toMatchObject({ code: 2, stderr: /coppice trust/ })
  const { checks } = await fleet.json(DoctorDocument, ["doctor"], 1)
  expect(checks.find(({ name }) => name === "trust")?.state).toBe("failed")
  expect(checks.find(({ name }) => name === "setup")?.text).toContain(`(from ${CURSOR} for app)`)
  await fleet.coppice("trust", "--yes")
  await fleet.json(TaskDocument, ["run", `${WORK}; echo more > more.txt`])
  expect(repo.git("show", "main:work.txt")).toBe("two")

  repo.commit({ [CURSOR]: null }, "no set-up")
  expect((await fleet.coppice("run", "true")).stderr).toContain("no longer names")
  await fleet.coppice("trust", "--yes")
  await fleet.json(TaskDocument, ["run", "! test -e made; echo last > last.txt"])
  expect(repo.git("show", "main:last.txt")).toBe("last")
})

test("a set-up in coppice.yml counts alone; init writes that of another tool and waits for trust [32.10]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, setup: "echo mine > made" } })
  fleet.repo.commit({ [CURSOR]: "{", ".gitignore": "made\n" }, "broken, and not read")
  await fleet.json(TaskDocument, ["run", "cp made work.txt"])
  expect(fleet.repo.git("show", "main:work.txt")).toBe("mine")

  fleet.repo.commit({ [CURSOR]: setUp("one"), "coppice.yml": null }, "another tool's alone")
  const init = await fleet.coppice("init")
  expect(init.stdout).toContain(`Set-up from ${CURSOR}: \`coppice trust\``)
  expect(readFileSync(join(fleet.repo.path, "coppice.yml"), "utf8")).toMatch(
    /^ {4}setup: .*echo one > made/m,
  )
  const { repo, env } = fleet
  const doctor = await coppice(repo.path, ["doctor"], { env, trusted: false })
  expect(doctor).toMatchObject({ code: 1, stdout: /✗ trust .*not approved.*setup/ })
})

test.each<[string, (path: string) => void, RegExp]>([
  ["broken", (path) => writeFileSync(path, "{"), /is not JSON/],
  ["a pipe", (path) => execFileSync("mkfifo", [path]), /is something else, not a file/],
  ["huge", (path) => writeFileSync(path, " ".repeat(70_000)), /is larger than 64 KiB/],
  [
    "a link out of the repository",
    (path) => symlinkSync("/etc/passwd", path),
    /a link that leads out of the repository/,
  ],
])("a set-up file that is %s is one clear error", async (_, make, fault) => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const path = join(fleet.repo.path, CURSOR)
  mkdirSync(dirname(path))
  make(path)
  for (const args of [["run", "true"], ["trust"]]) {
    const refused = await fleet.coppice(...args)
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(fault) })
    expect(refused.stderr).toContain("`repos.<name>.setup`")
  }
  const { checks } = await fleet.json(DoctorDocument, ["doctor"], 1)
  expect(checks.find(({ name }) => name === "setup")).toMatchObject({ state: "failed" })
  rmSync(path)
  expect((await fleet.coppice("run", "echo x > x.txt")).code).toBe(0)
})
