/** `landing.hooks`: git hooks of the repository as part of the gate. */
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { WhyDocument } from "../../src/api/wire/tasks.ts"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import { Fleet } from "../support/fleet.ts"
import { shareFleet } from "../support/shared-fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const renewed = shareFleet()
const missing = await probeSandbox(process.env["PATH"])

type Hooks = Readonly<Record<string, string>>

function writeHooks(fleet: Fleet, hooks: Hooks): void {
  for (const [name, text] of Object.entries(hooks)) {
    const path = join(fleet.repo.path, ".git/hooks", name)
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
  }
}

/** Writes the hooks, names them in `landing.hooks`, and approves both. */
async function withHooks(hooks: Hooks, landing: object = {}, gate: string | false = false) {
  const fleet = await renewed(({ repo }) => {
    const folder = join(repo.path, ".git/hooks")
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    return { repo: { gate }, sh: { landing: { ...landing, hooks: Object.keys(hooks) } } }
  })
  writeHooks(fleet, hooks)
  expect(await fleet.coppice("trust", "--yes")).toMatchObject({ code: 0 })
  return fleet
}

const listEvents = async (fleet: Fleet, id: string) =>
  (await fleet.json(EventsDocument, ["events", id])).events

/** The hook and exit code of each run for a task. */
async function listHookRuns(fleet: Fleet, id: string): Promise<readonly unknown[]> {
  const events = await listEvents(fleet, id)
  const ran = events.filter(({ type }) => type === "gate.hook_ran")
  return ran.map(({ data }) => [data["hook"], data["exitCode"]])
}

test("hooks see the staged change, each message and the push, and the work lands [24.2]", async () => {
  const fleet = await withHooks({
    "pre-commit": '[ "$(echo $(git diff --cached --name-only))" = "a.txt b.txt" ]',
    "commit-msg": 'grep -qxE "One|Two" "$1"',
    "pre-push": `read local commit remote before
      [ "$remote $(git rev-list --count $before..$commit)" = "refs/heads/main 2" ]`,
  })
  const id = await fleet.start(`
    echo a > a.txt; git add -A; git commit -qnm "One"
    echo b > b.txt; git add -A; git commit -qnm "Two"`)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.log().slice(0, 2)).toEqual(["Two", "One"])
  expect(await listHookRuns(fleet, id)).toEqual([
    ["pre-commit", 0],
    ["commit-msg", 0],
    ["commit-msg", 0],
    ["pre-push", 0],
  ])
  expect(fleet.leftovers()).toEqual([])
})

test("`pre-push` gets the name and the address of the configured remote, without its password [24.6]", async () => {
  const fleet = await withHooks({ "pre-push": 'echo "$1 $2" > "$STEPS/pushed"' })
  fleet.repo.git("remote", "add", "upstream", "https://me:secret@127.0.0.1:9/app.git")
  const settings = { workspace: { fetch_before_setup: false }, landing: { hooks: ["pre-push"] } }
  fleet.configure({ repo: { gate: false, forge: { remote: "upstream" } }, sh: settings })
  expect(await fleet.coppice("trust", "--yes")).toMatchObject({ code: 0 })
  const id = await fleet.start("echo a > a.txt")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("pushed")).toEqual(["upstream https://127.0.0.1:9/app.git"])
  fleet.repo.git("remote", "remove", "upstream")
})

test("work that a hook refuses goes back to its agent with the output, and then lands [24.2]", async () => {
  const fleet = await withHooks({
    "pre-commit": '! git diff --cached | grep "^+.*TODO"',
    "commit-msg": 'grep -q "^fix: " "$1" || { echo "begin with fix:"; exit 1; }',
  })
  fleet.step(1, 'echo TODO > a.txt; git add -A; git commit -qnm "some words"')
  fleet.step(2, 'cat > "$STEPS/second"; echo done > a.txt; git commit -qanm "fix: words"')
  fleet.step(3, `cat > "$STEPS/third"; git reset -q --soft main; git commit -qnm "fix: all"`)
  const id = await fleet.start("go")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("second").join("\n")).toMatch(/`git hook pre-commit` exited with 1[^]*\+TODO/)
  expect(fleet.noted("third").join("\n")).toMatch(/git hook commit-msg` exited[^]*begin with fix:/)
  expect(fleet.log()[0]).toBe("fix: all")
})

/** Stages other text for the file, which stays as it is. */
const STAGES_OTHER =
  "git update-index --cacheinfo 100644,$(echo formatted | git hash-object -w --stdin),a.txt"

test.each([
  ["files", { "pre-commit": "echo formatted > a.txt" }],
  ["only the index", { "pre-commit": `[ ! -f a.txt ] || ${STAGES_OTHER}` }],
  ["a message", { "commit-msg": 'echo "Change-Id: 1" >> "$1"' }],
])(
  "a hook that changes %s refuses the work, and nothing of its change lands [24.3]",
  async (_, hooks) => {
    const fleet = await withHooks(hooks, { max_handbacks: 1 })
    const before = fleet.log()
    fleet.step(1, "echo raw > a.txt; git add -A; git commit -qnm raw")
    fleet.step(2, 'cat > "$STEPS/told"')
    const id = await fleet.start("go")
    expect(await fleet.until(id)).toMatchObject({ state: "merge_failed" })
    expect(fleet.noted("told").join("\n")).toMatch(/changed a\.txt|changes the commit message to:/)
    expect(fleet.log()).toEqual(before)
  },
)

test("a hook runs only as a person approved it: an agent's edit of it has no effect [24.4]", async () => {
  const fleet = await withHooks({ "pre-commit": "! grep -q bad *.txt" }, { max_handbacks: 0 })
  const hook = join(fleet.repo.path, ".git/hooks/pre-commit")
  const id = await fleet.start(`
    echo bad > a.txt; printf '#!/bin/sh\\necho ran >> $STEPS/evil\\n' > ${hook}`)
  expect(await fleet.until(id)).toMatchObject({ state: "merge_failed" })
  expect(fleet.noted("evil")).toEqual([])
  expect((await fleet.coppice("trust")).stdout).toContain("git hook pre-commit of app")
}, 60_000)

test("a hook without an approval makes the landing wait, until a person approves it [24.4]", async () => {
  await using fleet = new Fleet()
  fleet.configure({ repo: { gate: false }, sh: { landing: { hooks: ["pre-commit"] } } })
  writeHooks(fleet, { "pre-commit": "git diff --cached --quiet && exit 9; exit 0" })
  const id = await fleet.start("echo a > a.txt")
  const why = () => fleet.json(WhyDocument, ["why", id])
  await waitFor("the wait", async () =>
    (await why()).waitingFor?.includes("no person has approved"),
  )
  const asked = await fleet.coppice("trust")
  expect(asked.stdout).toMatch(/git hook pre-commit of app: #!\/bin\/sh\n +\| git diff --cached/)
  await fleet.coppice("trust", "--yes")
  await fleet.coppice("land", id)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test.each([
  [".githooks", ".githooks/pre-commit", "#!/bin/sh\n! grep -q bad *.txt"],
  [".husky/_", ".husky/pre-commit", 'test -z "$(cat *.txt | grep bad)"\necho fine'],
])(
  "hooks in the folder that core.hooksPath names run as approved: %s [24.5]",
  async (folder, file, text) => {
    await using fleet = new Fleet()
    const { repo } = fleet
    fleet.configure({ repo: { gate: false }, sh: { landing: { hooks: ["pre-commit"] } } })
    writeHooks(fleet, { "pre-commit": "exit 1" }) // git does not run this one
    repo.git("config", "core.hooksPath", folder)
    repo.write({ [`${folder}/pre-commit`]: '. "${0%/*}/h"', [file]: text })
    chmodSync(join(repo.path, folder, "pre-commit"), 0o755)
    expect((await fleet.coppice("trust", "--yes")).stdout).toContain("bad")
    fleet.step(1, "echo bad > a.txt; git add -A; git commit -qnm One")
    fleet.step(2, 'cat > "$STEPS/told"; echo good > a.txt; git commit -qanm Two')
    const id = await fleet.start("go")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.noted("told").join("\n")).toContain("`git hook pre-commit` exited with 1")
  },
)

const BEGINS_WITH_FIX = 'grep -q "^fix: " "$1" || { echo "begin with fix:"; exit 1; }'

test("commit-msg has the whole of a message of any length [24.2]", async () => {
  const fleet = await withHooks({ "commit-msg": 'tail -1 "$1" | grep -q "^The end$"' })
  const id = await fleet.start(`
    echo a > a.txt; git add -A
    { echo One; echo; seq 40000; echo; echo "The end"; } | git commit -qnF -`)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test("`run` names the hooks that work must pass where there is no other gate", async () => {
  const fleet = await withHooks({ "pre-commit": "true" })
  const { stdout } = await fleet.coppice("run", "-d", "true")
  expect(stdout).toMatch(/gate +git hooks pre-commit\n/)
  expect(stdout).not.toContain("nothing is tested")
})

test("a passed gate of the same files does not spare a commit its hooks [24.2]", async () => {
  const fleet = await withHooks({ "commit-msg": BEGINS_WITH_FIX }, { max_handbacks: 0 }, "true")
  const add = (message: string) => `echo a > a.txt; git add -A; git commit -qnm "${message}"`
  const remove = 'git rm -q a.txt; git commit -qnm "fix: remove"'
  for (const work of [add("fix: one"), remove])
    expect(await fleet.until(await fleet.start(work))).toMatchObject({ state: "complete" })
  const bad = await fleet.start(add("BAD words"))
  expect(await fleet.until(bad)).toMatchObject({ state: "merge_failed" })
  expect(fleet.log()[0]).toBe("fix: remove")
})

test("a gate that ran on the target does not spare a commit of its files the hooks [24.2]", async () => {
  const gate = "test ! -f a.txt"
  const fleet = await withHooks({ "commit-msg": BEGINS_WITH_FIX }, { max_handbacks: 0 }, gate)
  const red = await fleet.start('echo a > a.txt; git add -A; git commit -qnm "fix: red"')
  expect(await fleet.until(red)).toMatchObject({ state: "merge_failed" })
  const good = await fleet.start('echo b > b.txt; git add -A; git commit -qnm "fix: add"')
  expect(await fleet.until(good)).toMatchObject({ state: "complete" })
  const bad = await fleet.start('git rm -q b.txt; git commit -qnm "BAD words"')
  expect(await fleet.until(bad)).toMatchObject({ state: "merge_failed" })
  expect(fleet.log()[0]).toBe("fix: add")
})

test("a hook that refuses the target itself waits for a person [24.2]", async () => {
  const fleet = await withHooks({ "pre-push": "echo no; exit 1" })
  const id = await fleet.start("echo a > a.txt")
  const why = () => fleet.json(WhyDocument, ["why", id])
  await waitFor("the wait", async () => (await why()).waitingFor?.includes("refuses main itself"))
})

test("work that a hook refuses goes back without a run of the gate's command on the target", async () => {
  const hooks = { "pre-commit": "test ! -f a.txt" }
  const fleet = await withHooks(hooks, { max_handbacks: 0 }, "true")
  const id = await fleet.start("echo a > a.txt")
  expect(await fleet.until(id)).toMatchObject({ state: "merge_failed" })
  const events = await listEvents(fleet, id)
  expect(events.filter(({ type }) => type === "gate.started")).toEqual([])
  expect(await listHookRuns(fleet, id)).toEqual([
    ["pre-commit", 1],
    ["pre-commit", 0],
  ])
})

test.skipIf(missing !== undefined)(
  "hooks of a contained agent's work are contained, and see the staged change [24.3]",
  async () => {
    const fleet = new Fleet()
    await using _ = fleet
    const secret = join(fleet.home.path, "secret")
    writeFileSync(secret, "secret")
    const hook = `git diff --cached --quiet || { git diff --cached --name-only; cat ${secret}; exit 1; }`
    fleet.configure({
      repo: { gate: "test -f a.txt" },
      sh: {
        containment: "sandbox",
        contained: { read: [fleet.steps] },
        landing: { hooks: ["pre-commit"], max_handbacks: 1 },
      },
    })
    writeHooks(fleet, { "pre-commit": hook })
    expect(await fleet.coppice("trust", "--yes")).toMatchObject({ code: 0 })
    fleet.step(1, "echo a > a.txt")
    fleet.step(2, "cat; exit 75")
    const id = await fleet.start("go")
    expect(await fleet.until(id)).toMatchObject({ state: "stuck" })
    const { stdout } = await fleet.coppice("logs", id)
    expect(stdout).toMatch(/exited with 1[^]* a\.txt\n.*secret: No such file/)
  },
)
