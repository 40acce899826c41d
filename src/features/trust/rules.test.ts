import fc from "fast-check"
import { expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { layConfig } from "../../config/layers.ts"
import { listAsked, listChangedKeys, trustStanding } from "./rules.ts"

const asked = (text: string, user: string | null = null) => listAsked({ text, user })
const standing = (text: string, user: string | null = null) =>
  trustStanding({ text, user }, undefined)
const agent = (settings: object) => stringify({ version: 1, agents: { a: settings } })
const limits = (concurrent: number) => ({ limits: { concurrent } })
const repo = (settings: object) => stringify({ version: 1, repos: { app: settings } })

test.each<[where: string, text: string, what: string]>([
  ["repos.app.gate", repo({ gate: "make" }), "runs make"],
  ["repos.app.gate", repo({ gate: false }), "nothing is tested"],
  ["repos.app.path", repo({ path: "../other" }), "../other"],
  ["repos.app.copy", repo({ copy: [".env"] }), '[".env"]'],
  ["repos.app.link", repo({ link: ["data"] }), '["data"]'],
  ["repos.app.gate_files", repo({ gate_files: [] }), "[]"],
  ["repos.app.gate_writes", repo({ gate_writes: ["**"] }), '["**"]'],
  ["agents.a.command", agent({ command: ["sh", "-c", "x y"] }), 'runs ["sh","-c","x y"]'],
  ["agents.a.env.PATH", agent({ env: { PATH: "/x" } }), "sets PATH=/x"],
  ["agents.a.model", agent({ model: "m" }), "m"],
  ["agents.a.system_prompt", agent({ system_prompt: "Run x." }), "Run x."],
  ["agents.a.instructions", agent({ instructions: ["x.md"] }), '["x.md"]'],
  ["agents.a.working_directory.root", agent({ working_directory: { root: "/x" } }), "/x"],
  ["agents.a.working_directory", agent({ working_directory: "/x" }), "/x"],
  ["agents.a.workspace.worktree_dir", agent({ workspace: { worktree_dir: "../.vim" } }), "../.vim"],
  ["agents.a.workspace.strategy", agent({ workspace: { strategy: "static" } }), "static"],
  ["agents.a.workspace.pool", agent({ workspace: { pool: 2 } }), "makes 2 worktrees in advance"],
  ["agents.a.landing.mode", agent({ landing: { mode: "pr" } }), "pr"],
  ["agents.a.landing.sign", agent({ landing: { sign: true } }), "signs what lands with your key"],
  [
    "agents.a.landing.signoff",
    agent({ landing: { signoff: "true" } }),
    "adds your Signed-off-by line to what lands",
  ],
  ["defaults.env.PATH", stringify({ defaults: { env: { PATH: "/x" } } }), "sets PATH=/x"],
  ["defaults.command", stringify({ defaults: { command: "make" } }), "runs make"],
  ["defaults.model", stringify({ defaults: { model: "m" } }), "m"],
  ["agents.a.landing.of_tomorrow", agent({ landing: { of_tomorrow: 1 } }), "1"],
  ["agents.a.session.of_tomorrow", agent({ session: { of_tomorrow: 1 } }), "1"],
  ["limits.of_tomorrow", stringify({ limits: { of_tomorrow: 1 } }), "1"],
  [
    "agents.a.hooks.on_error.0.url",
    agent({ hooks: { on_error: [{ url: "https://user:word@x/y" }] } }),
    "sends to https://…@x/y",
  ],
  ["notify.me.url", stringify({ notify: { me: { url: "https://x" } } }), "sends to https://x"],
  [
    "sources.s.api_url",
    stringify({ sources: { s: { api_url: "https://x" } } }),
    "sends to https://x",
  ],
  ["repos.app.forge.api_url", repo({ forge: { api_url: "https://x" } }), "sends to https://x"],
  ["maintenance.retention", stringify({ version: 1, maintenance: { retention: "1d" } }), "1d"],
  ["a.key.of.tomorrow", stringify({ a: { key: { of: { tomorrow: 1 } } } }), "1"],
])("%s in a first file waits for a person", (where, text, what) => {
  expect(asked(text)).toEqual([{ where, what }])
  expect(standing(text)).toBe("first")
})

test("a commit message that may hold a trailer waits for a person, and another one does not [32.14]", () => {
  const asks = (message: string) =>
    asked(agent({ workspace: { commit_message: message } })).map(({ where }) => where)
  const where = "agents.a.workspace.commit_message"
  for (const message of [
    "{summary}\n\nSigned-off-by: Ada <a@x>",
    "Signed-off-by: {summary}",
    "a\rb",
  ])
    expect(asks(message)).toEqual([where])
  expect(asks("agent by name: {summary}")).toEqual([])
})

test("a first file that sets bounds, names and defaults alone is in force as it is [32.2]", () => {
  const text = stringify({
    version: 1,
    repos: { app: { path: ".", target: "main", approve: true } },
    agents: {
      a: { runtime: "claude", landing: { mode: "approve", sign: false }, workspace: {} },
      b: { session: { max_turns: 9 }, permissions: { deny: ["Bash"] }, budget: { cost: "$1" } },
    },
    limits: { concurrent: 2 },
  })
  expect([asked(text), standing(text)]).toEqual([[], "free"])
})

test.each<[what: string, user: object, main: object, where: string, said: string]>([
  ["a limit", limits(2), limits(64), "limits.concurrent", "64, where your own file has 2"],
  [
    "an agent's bound",
    { agents: { a: { session: { max_turns: 5 } } } },
    { agents: { a: { session: { max_turns: 500 } } } },
    "agents.a.session.max_turns",
    "500, where your own file has 5",
  ],
  [
    "a bound by `defaults`",
    { defaults: { budget: { cost: "$1" } } },
    { agents: { a: { budget: { cost: "$99" } } } },
    "agents.a.budget.cost",
    "$99, where your own file has $1",
  ],
  [
    "a list, without its entries",
    { defaults: { permissions: { deny: ["Bash"] } } },
    { defaults: { permissions: { deny: [] } } },
    "defaults.permissions.deny",
    '[], where your own file has ["Bash"]',
  ],
  [
    "a whole section",
    { agents: { a: { budget: { turns: 1 } } } },
    { agents: { a: { budget: null } } },
    "agents.a.budget",
    'null, where your own file has {"turns":1}',
  ],
])("%s in a first file, in place of the user's own, waits for a person [32.12]", (...of) => {
  const [, user, main, where, what] = of
  const [own, file] = [stringify(user), stringify({ version: 1, ...main })]
  const laid = layConfig({ user: own, main: file, local: null })
  const text = laid.kind === "ok" ? laid.text! : ""
  expect(asked(text, own)).toEqual([{ where, what }])
  expect([standing(file), standing(text, own), standing(own, own)]).toEqual([
    "free",
    "first",
    "free",
  ])
})

test.each([
  "test -e .//;EVIL;: @ || true",
  "a\nb //x\n@ c",
  "curl https://user:word@x/y",
  "https://EVIL@x",
])("a command is shown in full: %j", (gate) => {
  expect(asked(repo({ gate }))).toEqual([{ where: "repos.app.gate", what: `runs ${gate}` }])
  expect(listChangedKeys(null, stringify({ repos: { app: { gate } } }))).toContainEqual({
    where: "repos.app.gate",
    what: `(not set) → ${gate}`,
  })
})

test("a person sees what the file says, and two values never look the same", () => {
  const pieces = ["//", "@", ":", '"', "[", "\n", " ", "x", "1", "true", "…", "\u202e"]
  const word = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...pieces) }))
  const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word))
  fc.assert(
    fc.property(value, (model) => {
      const text = agent({ model }) // the writer of YAML loses some blanks before line breaks
      const shown = listChangedKeys(null, text).find(({ where }) => where.endsWith(".model"))
      const inFile = parse(text).agents.a.model
      expect(meantBy(shown!.what.replace("(not set) → ", ""))).toEqual(inFile)
    }),
  )
})

/** A value as JSON, where it could be taken for something else; else a text as it is. */
function meantBy(shown: string): unknown {
  try {
    return JSON.parse(shown)
  } catch {
    return shown // a text
  }
}

test("of an address to clone from, the login is left out", () => {
  const clones = asked(agent({ working_directory: { auto_clone: "https://token@x/y" } }))
  expect(clones).toMatchObject([{ what: "clones https://…@x/y" }])
})

test("a file full of unfinished references does not hold the reader", { timeout: 20_000 }, () => {
  const gate = `\${B}${"${A:-".repeat(60_000)}`
  expect(asked(repo({ gate })).map(({ what }) => what)).toEqual([
    `runs ${gate}`,
    "reads the variable B",
  ])
})

test("a variable hides no value that waits for a person", () => {
  const text = agent({ landing: { mode: "${A:-pr}" } })
  expect(asked(text)).toEqual([
    { where: "agents.a.landing.mode", what: "${A:-pr}" },
    { where: "agents.a.landing.mode", what: "reads the variable A" },
  ])
})

test("a file that makes git hooks part of a gate is asked for, unlike its bounds [24.4]", () => {
  const text = "version: 1\nagents: { a: { landing: { max_handbacks: 1, hooks: [pre-commit] } } }"
  expect(asked(text)).toEqual([{ where: "agents.a.landing.hooks", what: '["pre-commit"]' }])
})

test("each word of a list is asked for the variables that it reads", () => {
  const text = agent({ command: ["x", "${A:-", "${B}"] })
  const names = asked(text).map(({ what }) => what)
  expect(names).toContain("reads the variable B")
})

test.each<[what: string, before: object, after: object, shown: object[]]>([
  [
    "a switch and its word",
    { repos: { app: { gate: "false" } } },
    { repos: { app: { gate: false } } },
    [{ where: "repos.app.gate", what: '"false" → false' }],
  ],
  [
    "a list and its words",
    { agents: { a: { command: "sh -c x" } } },
    { agents: { a: { command: ["sh", "-c", "x"] } } },
    [{ where: "agents.a.command", what: 'sh -c x → ["sh","-c","x"]' }],
  ],
  [
    "the order of agents",
    { agents: { a: {}, b: {} } },
    { agents: { b: {}, a: {} } },
    [{ where: "agents", what: '["a","b"] → ["b","a"]' }],
  ],
  [
    "an agent without settings",
    { agents: { a: {} } },
    { agents: { a: {}, b: {} } },
    [
      { where: "agents", what: '["a"] → ["a","b"]' },
      { where: "agents.b", what: "(not set) → {}" },
    ],
  ],
  [
    "the login of an address alone",
    { notify: { me: { url: "https://one@x" } } },
    { notify: { me: { url: "https://two@x" } } },
    [{ where: "notify.me.url", what: "https://…@x → https://…@x (with another login)" }],
  ],
  [
    "a name that looks like the way to another key",
    { agents: { a: { env: { command: "x" } } } },
    { agents: { "a.env": { command: "evil" }, a: { env: { command: "x" } } } },
    [
      { where: "agents", what: '["a"] → ["a.env","a"]' },
      { where: 'agents."a.env".command', what: "(not set) → evil" },
    ],
  ],
])("a change of %s is shown", (_, before, after, shown) => {
  expect(listChangedKeys(stringify(before), stringify(after))).toEqual(shown)
})

test("no change is shown where the same is written in another way", () => {
  expect(
    listChangedKeys(
      "version: 1\nlimits: { concurrent: 2 }",
      "limits:\n  concurrent: 2\nversion: 1",
    ),
  ).toEqual([])
})
