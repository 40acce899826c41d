import { expect, test } from "vitest"
import { layDefaults } from "./defaults.ts"
import { parseConfig } from "./parse.ts"

type Env = Record<string, string>

function agents(text: string, env: Env = {}) {
  const parsed = parseConfig(`version: 1\n${text}`, env, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  return parsed.config.agents
}

function problems(text: string) {
  const parsed = parseConfig(`version: 1\n${text}`, {}, "app")
  if (parsed.kind === "ok") throw new Error("expected problems")
  return parsed.problems.map(({ path, message }) => `${path} ${message}`)
}

test("C07: sections of an agent are merged with the defaults at every depth, lists replaced, inputs unchanged [31.11]", () => {
  const defaults = {
    model: "m",
    instructions: ["A", "B"],
    session: { max_turns: 7, timeout: "1h" },
    env: { A: "1", B: "2" },
    plan: { by: "b" },
  }
  const own = {
    instructions: ["C"],
    session: { timeout: "2h" },
    env: { B: "3" },
    plan: "none",
  }
  const file = { version: 1, defaults, agents: { a: own, b: {} } }
  const before = structuredClone(file)
  expect(layDefaults(file)).toEqual({
    version: 1,
    agents: {
      a: {
        model: "m",
        instructions: ["C"],
        session: { max_turns: 7, timeout: "2h" },
        env: { A: "1", B: "3" },
        plan: "none",
      },
      b: defaults,
    },
  })
  expect(file).toEqual(before)
})

test("an agent is as if its defaults were its own, and one that lists nothing has them too [31.11]", () => {
  const apart = agents(
    "defaults: { landing: { mode: pr }, env: { A: $A } }\nagents: { a: { model: m }, b: {} }",
  )
  const whole = "landing: { mode: pr }, env: { A: $A }"
  expect(apart).toEqual(agents(`agents: { a: { model: m, ${whole} }, b: { ${whole} } }`))
  expect(agents("defaults: { model: m }")).toMatchObject([{ name: "claude", model: "m" }])
  const filled = agents(
    "defaults: { env: { A: '${X}' } }\nagents: { a: {}, b: { env: { A: b } } }",
    { X: "x" },
  )
  expect(filled.map(({ env }) => env)).toEqual([{ A: "x" }, { A: "b" }])
})

test("the text of a hook's shell command in the defaults is left to the shell [31.11, 31.3]", () => {
  const hooks = "hooks: { after_run: [{ command: 'echo ${X}' }] }"
  expect(agents(`defaults: { ${hooks} }\nagents: { a: {} }`)[0]?.hooks).toMatchObject([
    { command: "echo ${X}" },
  ])
})

test("an agent is not its own reviewer where it says `review: none` [31.11]", () => {
  const text = (own: string) => `defaults: { review: { by: r } }\nagents: { a: {}, r: { ${own} } }`
  expect(agents(text("review: none")).map(({ review }) => review)).toEqual([
    { of: ["r"], quorum: 1 },
    undefined,
  ])
  expect(problems(text(""))).toEqual([
    "agents.r.review names the agent itself: its own work needs another reviewer (from `defaults.review`)",
  ])
})

test("a mistake in the defaults is reported once, and there [31.11]", () => {
  const two = "agents: { a: {}, b: {}, a.b: {} }"
  expect(problems(`defaults: { modle: x, session: { timeout: 5 } }\n${two}`)).toEqual([
    "defaults.session.timeout 5 has no unit: write 5s, 5m, 5h or 5d",
    "defaults.modle is not a known key: did you mean `model`?",
  ])
  expect(problems(`defaults: { model: '\${GONE}' }\n${two}`)).toEqual([
    expect.stringMatching(/^defaults\.model GONE is not set/),
  ])
  expect(problems(`defaults: { plan: { by: x } }\n${two}`)).toEqual([
    "defaults.plan.by `x` is not configured: there is a, b, a.b",
  ])
  expect(problems("defaults: { hooks: { after_run: [{}] } }")).toHaveLength(1)
  expect(problems("defaults: [a]")).toEqual(["defaults must be a section of keys"])
  expect(problems("defaults:")).toEqual(["defaults is empty: it must be a section of keys"])
})

test("a mistake of an agent stays its own, and one that only both make names both [31.11]", () => {
  const landing = "defaults: { landing: { mode: merge } }\n"
  expect(problems(`${landing}agents: { a: { modle: x }, b: {} }`)).toEqual([
    "agents.a.modle is not a known key: did you mean `model`?",
  ])
  expect(problems(`${landing}agents: { a: { workspace: { strategy: static } }, b: {} }`)).toEqual([
    "agents.a.landing.mode `merge` is not possible with `strategy: static`: only `none`, as the work stays where it is (from `defaults.landing.mode`)",
  ])
  expect(
    problems(
      "defaults: { workspace: { strategy: static } }\nagents: { a: { landing: { mode: merge } } }",
    ),
  ).toEqual([
    "agents.a.landing.mode `merge` is not possible with `strategy: static`: only `none`, as the work stays where it is (with `defaults`)",
  ])
})

test("a default that an agent's runtime cannot use is left out of it; a limit that it cannot keep is a mistake [31.13]", () => {
  const sh = "sh: { runtime: command, command: make }"
  const usable = "model: m, mcp_servers: { s: { command: [srv] } }"
  expect(agents(`defaults: { ${usable} }\nagents: { ${sh}, c: {} }`)).toMatchObject([
    { name: "sh", model: undefined, mcpServers: [] },
    { name: "c", model: "m", mcpServers: [{ name: "s" }] },
  ])
  const program = "runtime: command, command: make, resume: [make, again]"
  expect(
    agents(`defaults: { ${program} }\nagents: { a: {}, c: { runtime: claude } }`),
  ).toMatchObject([{ command: "make" }, { name: "c", command: undefined, resume: undefined }])
  expect(problems("agents: { a: { runtime: command, command: make, model: m } }")).toEqual([
    "agents.a.model cannot be kept: `runtime: command` takes none: name it in `command`",
  ])
  expect(problems(`defaults: { runtime: command, command: make, model: m }`)).toEqual([
    "defaults.model cannot be kept: `runtime: command` takes none: name it in `command`",
  ])
  expect(problems(`defaults: { permissions: { default: deny } }\nagents: { ${sh} }`)).toEqual([
    "agents.sh.permissions cannot be kept: Coppice does not see the tools of `runtime: command` (from `defaults.permissions`)",
  ])
})
