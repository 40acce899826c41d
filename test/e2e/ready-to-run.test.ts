/** A fresh worktree can run: what git ignores is brought or told, set-up is run once, ports are its own. */
import { existsSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

const note = (name: string, what: string) => `{ ${what}; } >> "$STEPS/${name}"`

test("an agent has the files that its project needs, learns what is missing, and gives its ports back [28.1, 28.6]", async () => {
  const setup = `${note("setup", 'echo "$COPPICE_SLUG"')}; mkdir deps; cp package-lock.json deps`
  const teardown = note("teardown", 'echo "$COPPICE_SLUG"')
  const repo = { setup, teardown, check: "test -d deps", copy: [".env"], ports: 3, gate: "true" }
  await using fleet = new Fleet({ repo })
  fleet.repo.commit({
    ".gitignore": ".env*\n*.key\ndeps\ndist\n",
    ".worktreeinclude": ".env.local\n",
    "package-lock.json": "{}",
  })
  const ignored = { ".env": "A=1", ".env.local": "B=2", "secret.key": "k", "dist/app.js": "x" }
  fleet.repo.write(ignored)
  const look = `${note("seen", 'cat .env .env.local deps/package-lock.json; echo " $COPPICE_PORT $COPPICE_PORTS"')}`
  fleet.step(1, `${look}; exit 75`)
  fleet.step(2, `${look}; echo done > done.txt`)

  const first = await fleet.json(TaskDocument, ["run", "Do it"], 1)
  expect(first).toMatchObject({ state: "stuck", reason: { code: "needs_decision" } })
  const { stdout: log } = await fleet.coppice("logs", first.id)
  expect(log).toMatch(/copied \.env, \.env\.local\n/)
  expect(log).toMatch(/set-up `.*` passed after \d/)
  expect(log).toMatch(/missing here: secret\.key \(`repos\.app\.copy` brings it\)/)
  expect(log).toContain("and 1 build output or caches")
  const { stdout: card } = await fleet.coppice("show", first.id)
  expect(card).toMatch(/worktree of app\n {2}copied \.env, \.env\.local\n/)

  await fleet.coppice("restart", "-d", first.id)
  const { state } = await fleet.until(first.id)
  expect(state).toBe("complete")
  const [seen, again] = fleet.noted("seen")
  expect(seen).toMatch(/^A=1B=2\{\} (2\d|3[0-2])\d{3} 3$/)
  expect(again).toBe(seen)

  const { events } = await fleet.json(EventsDocument, ["events", first.id])
  const reports = events.filter(({ type }) => type === "workspace.report").map(({ data }) => data)
  expect(reports).toMatchObject([
    { fresh: true, copiedCount: 2, setup: { outcome: "passed" }, check: { outcome: "passed" } },
    { fresh: false, setup: { outcome: "reused" }, check: null },
  ])
  expect(reports[0]).toMatchObject({
    ports: { count: 3 },
    slug: fleet.noted("setup")[0],
    missing: { wanted: [{ path: "secret.key", by: "copy" }], moreCount: 0, outputCount: 1 },
  })
  expect(fleet.noted("setup")).toHaveLength(1)
  expect(fleet.noted("teardown")).toEqual(fleet.noted("setup"))
  expect(fleet.leftovers()).toEqual([])
  expect(Object.keys(ignored).every((path) => existsSync(`${fleet.repo.path}/${path}`))).toBe(true)
})

test("a set-up that fails stops the task with its output; restarted, it runs again in the same worktree [28.4]", async () => {
  const setup = `test -f "$STEPS/go" || { echo half > half; echo no registry; exit 3; }`
  await using fleet = new Fleet({ repo: { setup, gate: false } })
  const task = await fleet.json(TaskDocument, ["run", "exit 1"], 1)
  expect(task).toMatchObject({ state: "stuck", reason: { code: "failed" } })
  expect(task.reason?.text).toMatch(/setup, .*, exited with 3\.\nno registry\n/s)
  expect(existsSync(`${task.repos[0]?.worktree}/half`)).toBe(true)

  writeFileSync(`${fleet.steps}/go`, "")
  fleet.step(2, "test -f half")
  await fleet.coppice("restart", "-d", task.id)
  expect((await fleet.until(task.id)).state).toBe("complete")
  expect(fleet.repo.git("ls-tree", "--name-only", "main", "half")).toBe("")
})
