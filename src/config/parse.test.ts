import { expect, test } from "vitest"
import { config, problems } from "../../test/support/config.ts"
import { expectGenerated } from "../../test/support/generated.ts"
import { AgentKeys } from "../declared/schemas.ts"
import { configJsonSchema } from "./keys.ts"
import { defaultConfig, parseConfig } from "./parse.ts"

test("without a file there is this repository and an agent named claude", () => {
  const { repos, agents, limits } = defaultConfig("my app")
  expect(repos).toMatchObject([{ name: "my-app", path: ".", gateTimeoutMs: 20 * 60_000 }])
  expect(agents).toMatchObject([{ name: "claude", runtime: "claude", landing: { mode: "merge" } }])
  expect(limits.concurrent).toBe(4)
})

test("a file that says nothing but its version means the same as no file", () => {
  expect(config("")).toEqual(defaultConfig("app"))
})

test("every default is filled in, and times are milliseconds", () => {
  const [agent] = config("agents: { coder: { session: { timeout: 90m } } }").agents
  expect(agent).toEqual({
    name: "coder",
    runtime: "claude",
    model: undefined,
    systemPrompt: undefined,
    instructions: ["CLAUDE.md", "AGENTS.md"],
    concurrentMax: undefined,
    workingDirectory: undefined,
    workspace: {
      strategy: "git_worktree",
      worktreeDir: "../<repo>.worktrees",
      branchPattern: "agent/{agent}/{workItem}",
      fetchBeforeSetup: true,
      cleanupOnFailure: true,
      keep: "never",
      whenBusy: "queue",
      commitMessage: "agent: {summary}",
      onPushFailure: "retry",
      pool: "auto",
    },
    landing: {
      mode: "merge",
      handbacksMax: 2,
      attemptsMax: 3,
      lockTimeoutMs: 30_000,
      hookWaitMs: 600_000,
      gateIn: "worktree",
      requireDone: false,
      sign: false,
      signoff: false,
      hooks: [],
    },
    pullRequest: {
      title: "{title}",
      body: "{summary}",
      labels: [],
      reviewers: [],
      isDraft: false,
      autoMerge: false,
      deletesBranch: false,
    },
    plan: "none",
    session: { turnsMax: 200, timeoutMs: 5_400_000, askWaitMs: 120_000, handoffAt: 0.9 },
    budget: { turns: undefined, timeMs: undefined, tokens: undefined, costUsd: undefined },
    containment: {
      by: "none",
      isDefault: true,
      network: true,
      read: [],
      caches: [],
      cachesWrittenBy: "setup",
    },
    permissions: { default: "allow", allow: [], ask: [], deny: [] },
    env: {},
    command: undefined,
    resume: undefined,
    hooks: [],
    mcpServers: [],
    restartOnFailure: false,
    maintenance: {},
    fallback: [],
    fallbackAfterMs: 600_000,
    reserve: undefined,
    tasks: { propose: "ask", countMax: 10, depthMax: 1, agents: [] },
    schedules: [],
    ...AgentKeys.parse({}),
  })
})

test("C08: an unknown key is named with its path and with the key that was meant", () => {
  expect(
    problems("version: 1\nagents: { coder: { modle: x, landing: { max-attempts: 1 } } }"),
  ).toEqual({
    "agents.coder.modle": "is not a known key: did you mean `model`?",
    "agents.coder.landing.max-attempts": "is not a known key: did you mean `max_attempts`?",
  })
  expect(problems("version: 1\nagent: {}")["agent"]).toContain("`agents`")
})

test("C08: a value that is not possible is named with those that are", () => {
  const text = "version: 1\nagents: { a: { runtime: comand }, b: { landing: { mode: x } } }"
  expect(problems(text)).toEqual({
    "agents.a.runtime": "`comand` is not possible here: did you mean `command`?",
    "agents.b.landing.mode": "`x` is not possible here: there is merge, approve, pr, none",
  })
})

test("the version is needed, and only version 1 is known", () => {
  expect(problems("")).toEqual({ version: "must be 1, the only version there is" })
  expect(problems("version: 2")).toHaveProperty("version")
})

test("text that is not YAML is a problem with its line", () => {
  expect(problems("version: 1\nversion: 1")[""]).toContain("line 2")
  expect(problems("- a")).toEqual({ "": "must be a section of keys" })
})

test.each([
  ["an anchor that is not there", "agents: *a", "Unresolved alias"],
  ["an alias bomb", bomb(), "Excessive alias count"],
  ["a tag that makes something else of a section", "repos: !!omap [app: {}]", "Unresolved tag"],
  [
    "a section that is very deep",
    `agents: ${"[".repeat(20_000)}${"]".repeat(20_000)}`,
    "call stack",
  ],
])("%s is a problem of the file", (_, text, message) => {
  expect(problems(`version: 1\n${text}`)[""]).toContain(message)
})

test("a directive of YAML 1.1 changes nothing: no tag of it, no key that merges another part [32.8]", () => {
  const old = (text: string) => problems(`%YAML 1.1\n---\nversion: 1\n${text}`)
  expect(old("repos: !!omap [app: {}]")[""]).toContain("Unresolved tag")
  expect(old("repos: { app: { <<: { gate: x } } }")).toHaveProperty("repos.app.<<")
  expect(old("repos: { app: { approve: yes } }")).toHaveProperty("repos.app.approve")
})

test("reports the first of many mistakes in the text", () => {
  const parsed = parseConfig(`agents: ${"[".repeat(20_000)}`, {}, "app")
  expect(parsed.kind === "invalid" && parsed.problems).toHaveLength(10)
})

test("a part that holds itself is a problem, and an alias of another part is none", () => {
  expect(problems("version: 1\nagents: &a { x: *a }")).toEqual({
    "": "The part `&a` holds itself, by an alias.",
  })
  expect(problems(`agents: &a [${"*a,".repeat(80_000)}]`)[""]).toContain("holds itself")
  expect(problems(`a: &a x\nb: [${"*a,".repeat(101)}]`)[""]).toContain("more than 100 aliases")
  const { agents } = config("agents: { a: &a { model: m }, b: *a }")
  expect(agents.map(({ model }) => model)).toEqual(["m", "m"])
})

test("names that objects have of their own work, or are refused", () => {
  const { repos, agents } = config("repos: { constructor: {} }\nagents: { toString: {} }")
  expect([repos[0]?.name, agents[0]?.name]).toEqual(["constructor", "toString"])
  const message = "is not a possible name"
  const text = "version: 1\nrepos: { __proto__: {} }\nagents: { a: { env: { __proto__: x } } }"
  expect(problems(text)).toEqual({
    "repos.__proto__": message,
    "agents.a.env.__proto__": message,
  })
  expect(problems("version: 1\nconstructor: {}")["constructor"]).toMatch(/not a known key/)
  const found = problems(`version: 1\nagents: { a: { model: '\${constructor}' } }`)
  expect(found["agents.a.model"]).toContain("constructor is not set")
})

test("a variable is filled in as text and never as structure", () => {
  const text = `agents: { a: { model: '\${M}', env: { X: '\${Y:-no}', E: '\${Z:-}' } } }`
  const [agent] = config(text, { M: "a, b: {c}" }).agents
  expect(agent).toMatchObject({ model: "a, b: {c}", env: { X: "no", E: "" } })
})

test("a number or a switch may come from a variable", () => {
  const text = `limits: { concurrent: '\${N}' }\nagents: { a: { workspace: { fetch_before_setup: '\${D}' } } }`
  const { limits, agents } = config(text, { N: "7", D: "false" })
  expect([limits.concurrent, agents[0]?.workspace.fetchBeforeSetup]).toEqual([7, false])
})

test("C06: a variable that is not set is a problem that says how to give a default", () => {
  const found = problems(`version: 1\nagents: { a: { model: '\${MODEL}' } }`)
  expect(found["agents.a.model"]).toContain(`\${MODEL:-x}`)
})

test("C06: what is the shell's stays the shell's", () => {
  const [repo] = config(`repos: { app: { gate: 'echo $A \${B%.c} \${#D} \${}' } }`).repos
  expect(repo?.gate).toBe(`echo $A \${B%.c} \${#D} \${}`)
})

test("C06: a command for the shell keeps its variables, so that no value is printed with it [31.3]", () => {
  const text = `repos: { app: { gate: 'x \${V}', setup: 'y \${V}', check: '\${V}', teardown: 'z \${V:-d}' } }
agents: { a: { runtime: command, command: 'run \${V}' }, b: { runtime: command, command: [run, '\${V}'] } }`
  const { repos, agents } = config(text, { V: "value" })
  expect(repos[0]).toMatchObject({
    gate: `x \${V}`,
    setup: `y \${V}`,
    check: `\${V}`,
    teardown: `z \${V:-d}`,
  })
  expect(agents.map(({ command }) => command)).toEqual([`run \${V}`, ["run", "value"]])
})

test.each([
  "repos: { app: { target: '${V}' } }",
  "repos: { app: { gate_timeout: '${V}' } }",
  "repos: { app: { gate_timeout: '1${V}' } }",
  "repos: { app: { ports: '${V}' } }",
  "repos: { app: { approve: '${V}' } }",
  "agents: { a: { runtime: '${V}' } }",
  "agents: { a: { landing: { mode: '${V}' } } }",
  "agents: { a: { workspace: { branch_pattern: 'x/{${V}}' } } }",
  "maintenance: { rescue: { max_size: '${V}' } }",
])("an error names the variable and never its value: %s", (text) => {
  const found = problems(`version: 1\n${text}`, { V: "refs/s3cret" })
  expect(JSON.stringify(found)).toContain("${V}")
  expect(JSON.stringify(found)).not.toContain("s3cret")
})

test.each([
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "LINEAR_API_KEY",
  "https_proxy",
  "HTTP_PROXY",
])("no file may read %s", (name) => {
  const text = `version: 1\nagents: { a: { env: { X: '\${${name}:-none}' } } }`
  expect(problems(text, { [name]: "s3cret" })["agents.a.env.X"]).toMatch(/may not be read here/)
})

test("a gate is a command, or false for none, or left to be found", () => {
  const { repos } = config(
    "repos: { a: { gate: true }, b: { path: b, gate: false }, c: { path: c } }",
  )
  expect(repos.map(({ gate }) => gate)).toEqual(["true", false, undefined])
})

test("a command belongs to the runtime command, and to no other", () => {
  const found = problems("version: 1\nagents: { a: { runtime: command }, b: { command: x } }")
  expect(found).toEqual({
    "agents.a.command": "is needed with `runtime: command`",
    "agents.b.command": "is only for `runtime: command`",
  })
})

test("a prompt stands in a list of words as an argument, and never in text that a shell runs [30.11]", () => {
  const command = (value: string, more = "") =>
    problems(`version: 1\nagents: { a: { runtime: command, command: ${value}${more} } }`)
  expect(command("'agent {prompt}'")["agents.a.command"]).toContain("only for a list of words")
  expect(command("[sh, -c, 'agent {prompt}']")["agents.a.command"]).toContain("of its own")
  const resume = command("agent", ", resume: [sh, -c, '{prompt}']")
  expect(resume["agents.a.resume"]).toContain("would run as code")
  const [agent] = config(
    "agents: { a: { runtime: command, command: [x, '{prompt}'], resume: [y, '{session}'] } }",
  ).agents
  expect(agent).toMatchObject({ command: ["x", "{prompt}"], resume: ["y", "{session}"] })
})

test("a runtime that went is refused, and its successor named", () => {
  const message = "`codex-exec` is no more: use `runtime: codex`, which needs Codex 0.99 or newer"
  const yaml = (section: string) => problems(`version: 1\n${section}`)
  expect(yaml("agents: { a: { runtime: codex-exec } }")).toEqual({ "agents.a.runtime": message })
  expect(yaml("defaults: { runtime: codex-exec }")).toEqual({ "defaults.runtime": message })
})

test("a setting that a runtime cannot keep is refused [30.14]", () => {
  const agents =
    "a: { runtime: acp, command: [x], permissions: { deny: [Bash] } }, b: { runtime: codex, budget: { cost: 1 } }, c: { runtime: command, command: x, model: m }"
  expect(problems(`version: 1\nagents: { ${agents} }`)).toEqual({
    "agents.a.permissions": "cannot be kept: Coppice does not see the tools of `runtime: acp`",
    "agents.b.budget": "cannot be kept: the cost of `runtime: codex` is not known",
    "agents.c.model": "cannot be kept: `runtime: command` takes none: name it in `command`",
  })
})

test("a program that speaks ACP is started by a list of words without a prompt [30.14]", () => {
  const acp = (more: string) => problems(`version: 1\nagents: { a: { runtime: acp${more} } }`)
  const [agent] = config("agents: { a: { runtime: acp, command: [gemini, --acp] } }").agents
  expect(agent).toMatchObject({ runtime: "acp", command: ["gemini", "--acp"] })
  expect(acp("")).toEqual({ "agents.a.command": "is needed with `runtime: acp`" })
  expect(acp(", command: gemini --acp")["agents.a.command"]).toContain("a list of words")
  expect(acp(", command: [x, '{prompt}']")["agents.a.command"]).toContain("prompts later")
  expect(acp(", command: [x], resume: [y]")["agents.a.resume"]).toContain("runtime: command")
  expect(acp(", command: [x], permissions: { deny: [Bash] }")["agents.a.permissions"]).toContain(
    "cannot be kept",
  )
})

test.each(["''", "' '", "[]", "['']", "[' ', x]"])("a command %s starts nothing", (command) => {
  const text = `version: 1\nagents: { a: { runtime: command, command: ${command} } }`
  const [[path, message] = []] = Object.entries(problems(text))
  expect(path).toMatch(/^agents\.a\.command/)
  expect(message).toMatch(/must be a command in one string|must not be empty/)
})

test("no name and no path leads out of its place", () => {
  const text =
    "version: 1\nrepos: { app: { copy: [/etc/passwd, a/../../b] } }\nagents: { ../a: {} }"
  expect(Object.keys(problems(text))).toEqual([
    "repos.app.copy.0",
    "repos.app.copy.1",
    "agents.../a",
  ])
})

test("a pool is on where it pays, and can be off or of a size", () => {
  const pooled = (pool: string) => `agents: { a: { workspace: { pool: ${pool} } } }`
  const poolOf = (pool: string) => config(pooled(pool)).agents[0]?.workspace.pool
  expect([poolOf("auto"), poolOf("0"), poolOf("2")]).toEqual(["auto", 0, 2])
  expect(Object.keys(problems(`version: 1\n${pooled("{ size: 1 }")}`))).toEqual([
    "agents.a.workspace.pool",
  ])
})

test("the JSON Schema in the docs is the schema", async () => {
  const path = "docs/generated/config.schema.json"
  await expectGenerated(path, `${JSON.stringify(configJsonSchema(), null, 2)}\n`)
})

/** Ten lists of ten lists of ten lists, and so on, in a few lines. */
function bomb(): string {
  const lists = ["a", "b", "c", "d"].map((name, at, all) => {
    const item = at === 0 ? "x" : `*${all[at - 1]}`
    return `${name}: &${name} [${Array(10).fill(item)}]`
  })
  return lists.join("\n")
}

test("C07: what a file says of an object leaves its other defaults, and of a list replaces it", () => {
  const [one, other] = config(
    "agents: { a: { instructions: [ONE.md], session: { max_turns: 7 } }, b: {} }",
  ).agents
  expect(one?.instructions).toEqual(["ONE.md"])
  expect(one?.session).toEqual({ ...other?.session, turnsMax: 7 })
  expect(other).toEqual({ ...defaultConfig("app").agents[0], name: "b" })
})
