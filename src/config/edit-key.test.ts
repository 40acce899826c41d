import { expect, test } from "vitest"
import { setKey, splitKey } from "./edit-key.ts"

const FILE = `# our agents
version: 1

repos:
  my.app:
    path: .            # here
    # gate: npm test   # not yet
    copy: [.env,  .npmrc]

agents:
  claude:
    session: { max_turns: 50 } # enough
    command: >
      folded
      text

limits: # of the home
  concurrent: 2    # two
`

const changed = (path: string[], value: unknown) => {
  const after = setKey(FILE, path, value)
  const [old, now] = [FILE.split("\n"), after.split("\n")]
  return [
    old.filter((line) => !now.includes(line)),
    now.filter((line) => !old.includes(line)),
  ] as const
}

test("a value is replaced in its place, and nothing else changes [31.7]", () => {
  expect(changed(["limits", "concurrent"], 3)).toEqual([
    ["  concurrent: 2    # two"],
    ["  concurrent: 3    # two"],
  ])
  expect(changed(["agents", "claude", "session", "max_turns"], 9)).toEqual([
    ["    session: { max_turns: 50 } # enough"],
    ["    session: { max_turns: 9 } # enough"],
  ])
  expect(changed(["repos", "my.app", "path"], "a: b")).toEqual([
    ["    path: .            # here"],
    ['    path: "a: b"            # here'],
  ])
})

test("a new key is a line below its neighbours [31.7]", () => {
  expect(changed(["repos", "my.app", "gate"], "npm test")).toEqual([[], ["    gate: npm test"]])
  expect(changed(["agents", "claude", "model"], "m")).toEqual([[], ["    model: m"]])
  expect(changed(["limits", "per_day", "cost"], 2.5)).toEqual([[], ["  per_day:", "    cost: 2.5"]])
  expect(changed(["maintenance", "retention"], "30d")).toEqual([
    [],
    ["maintenance:", "  retention: 30d"],
  ])
  expect(setKey("version: 1", ["limits", "concurrent"], 1)).toBe(
    "version: 1\nlimits:\n  concurrent: 1",
  )
})

test("comments stay where the whole file is written [31.7]", () => {
  const [gone, made] = changed(["agents", "claude", "session", "timeout"], "1h")
  expect(gone.length + made.length).toBeGreaterThan(0)
  const after = setKey(FILE, ["agents", "claude", "session", "timeout"], "1h")
  for (const comment of ["# our agents", "# here", "# gate: npm test", "# enough", "# of the home"])
    expect(after).toContain(comment)
  expect(after).toContain("{ max_turns: 50, timeout: 1h }")
  expect(setKey(FILE, ["repos", "my.app", "copy"], [".a"])).toContain("path: . # here")
})

test("a name may hold dots", () => {
  const patterns = ["repos.*", "repos.*.gate", "agents.*.env", "agents.*.env.*", "limits.reserve"]
  expect(splitKey("repos.my.app.gate", patterns)).toEqual(["repos", "my.app", "gate"])
  expect(splitKey("agents.a.env.PATH", patterns)).toEqual(["agents", "a", "env", "PATH"])
  expect(splitKey("limits.reserve", patterns)).toEqual(["limits", "reserve"])
  expect(splitKey("limits.nothing", patterns)).toBeUndefined()
})
