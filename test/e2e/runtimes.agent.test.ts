/** Each runtime, with its real program: two tasks, a conflict, handed back, resolved, landed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import {
  ACP_PROGRAM_NAMES,
  ACP_PROGRAMS,
  type AcpProgramName,
  type AcpScript,
  findAcpCommand,
} from "../support/acp-programs.ts"
import { type AgentProgramName, findAgentFolder } from "../support/agent-programs.ts"
import { TestImage } from "../support/container.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"
import { ResponsesApi } from "../support/responses-api.ts"
import { waitFor } from "../support/wait-for.ts"

/** The shell code of the model for a prompt; undefined: it only talks. */
function codeFor(prompt: string): string | undefined {
  if (prompt.includes("git rebase main"))
    return "git rebase main; printf 'one\\ntwo\\n' > README.md; git add -A; GIT_EDITOR=true git rebase --continue"
  const [, word] = /Write (one|two)/.exec(prompt) ?? []
  const wait = `until [ -e "$STEPS/go-${word}" ]; do sleep 0.05; done`
  return word && `echo ${word} > README.md; git commit -qam ${word}; ${wait}`
}

const messages = () =>
  MessagesApi.start(({ tools, texts, toolResults }) => {
    const name = tools.find((tool) => /^bash$/i.test(tool))
    const code = name && codeFor(texts.join("\n"))
    return code && toolResults.length === 0
      ? { tools: [{ ...bash(code), name }] }
      : { text: "Done." }
  })

type Prepared = {
  readonly agent: { readonly env?: object; readonly [key: string]: unknown }
  readonly api?: AsyncDisposable
}

const claude =
  (runtime: string) =>
  async (fleet: Fleet): Promise<Prepared> => {
    const api = await messages()
    Object.assign(fleet.extra, api.env, { CLAUDE_CODE_MAX_RETRIES: "1" })
    return { agent: { runtime }, api }
  }

async function codex(fleet: Fleet): Promise<Prepared> {
  const folder = join(fleet.home.path, ".codex")
  const api = await ResponsesApi.start(({ text, outputs }) => {
    const code = codeFor(text)
    return code && outputs.length === 0 ? { run: code } : { text: "Done." }
  })
  mkdirSync(folder)
  writeFileSync(join(folder, "config.toml"), api.codexConfig)
  const PATH = `${findAgentFolder("codex")}:${fleet.env["PATH"]}`
  Object.assign(fleet.extra, { PATH, OPENAI_API_KEY: "none" })
  return { agent: { runtime: "codex" }, api }
}

/** The agent of tests, which needs no model. */
async function scripted(): Promise<Prepared> {
  const words = ["git rebase main", "Write one", "Write two"]
  const codes = words.map((one) => [one, codeFor(one)])
  const ACP_AGENT = JSON.stringify({ asks: true, resumes: "load", codes })
  const agent = join(import.meta.dirname, "../support/acp-agent.ts")
  return { agent: { runtime: "acp", command: [process.execPath, agent], env: { ACP_AGENT } } }
}

/** A shell that runs the code, and needs no model. */
async function command(): Promise<Prepared> {
  const cases = ["git rebase main", "Write one", "Write two"].map(
    (words) => `*'${words}'*) ${codeFor(words)} ;;`,
  )
  const code = `case "$COPPICE_PROMPT" in ${cases.join("\n")} esac`
  return { agent: { runtime: "command", command: ["sh", "-c", code] } }
}

const acp =
  (name: AcpProgramName) =>
  async (fleet: Fleet): Promise<Prepared> => {
    const script: AcpScript = (texts, hasResults) => {
      const code = hasResults ? undefined : codeFor(texts.join("\n"))
      return code ? { run: code } : { text: "Done." }
    }
    const api = await ACP_PROGRAMS[name].start(script, fleet.home.path)
    Object.assign(fleet.extra, api.env)
    return { agent: { runtime: "acp", command: findAcpCommand(name) }, api }
  }

const isThere = (name: AgentProgramName) => findAgentFolder(name) !== undefined
const isAcpThere = (name: AcpProgramName) => findAcpCommand(name) !== undefined

const noSandbox = await probeSandbox(process.env["PATH"])

test.for([
  ["claude", claude("claude"), true],
  ["claude-cli", claude("claude-cli"), true],
  ["codex", codex, isThere("codex")],
  ["an ACP agent", scripted, true],
  ["a command", command, true],
  ...ACP_PROGRAM_NAMES.map((name) => [name, acp(name), isAcpThere(name)] as const),
  ["claude in a sandbox", claude("claude"), true],
  ["codex in a sandbox", codex, isThere("codex")],
  ["claude in a container", claude("claude"), true],
  ["codex in a container", codex, isThere("codex")],
] as const)(
  "%s resolves a conflict that is handed back to it [23.2, 43.2]",
  async ([name, prepare, isThere], { skip }) => {
    if (!isThere) return skip("it was not fetched: `npm run test:agents` does that")
    const isContained = name.endsWith("in a sandbox")
    if (isContained && noSandbox !== undefined) return skip(noSandbox)
    using image = name.endsWith("in a container") ? new TestImage() : undefined
    if (image?.missing !== undefined) return skip(image.missing)
    await using fleet = new Fleet()
    Object.assign(fleet.extra, image?.env)
    const { agent, api } = await prepare(fleet)
    await using _api = api
    const read = [fleet.steps, join(fleet.home.path, ".codex/config.toml")]
    const fenced = isContained ? { containment: "sandbox", contained: { read } } : {}
    const env = { STEPS: fleet.steps, ...agent.env }
    const boxed = image ? { container: { image: image.name }, contained: { read } } : {}
    fleet.configure({
      repo: { gate: false },
      agents: { worker: { ...agent, ...fenced, ...boxed, env } },
    })
    const go = (word: string) => writeFileSync(join(fleet.steps, `go-${word}`), "")
    const one = await fleet.start("Write one.", "--agent", "worker")
    // OpenCode makes its database when it first starts, and fails if two processes do that at once.
    const hasChanged = async () => {
      const file = join((await fleet.client.show(one)).repos[0]?.worktree ?? "", "README.md")
      return existsSync(file) && readFileSync(file, "utf8") === "one\n"
    }
    await waitFor("the first change", hasChanged, 120_000)
    const two = await fleet.start("Write two.", "--agent", "worker")
    await fleet.event(({ type, task }) => type === "turn.began" && task === two)
    go("one")
    const landed = (handbacks: number) => ({
      state: "complete",
      landing: { outcome: "LANDED", handbacks },
    })
    const first = await fleet.until(one)
    expect(first, JSON.stringify(first.reason)).toMatchObject(landed(0))
    go("two")
    const task = await fleet.until(two)
    expect(task).toMatchObject({ ...landed(1), usage: { turns: 2 } })
    expect(task.jobs).toMatchObject([{ sessions: [task.sessionId] }])
    if (agent["runtime"] !== "command") expect(task.usage.outputTokens).toBeGreaterThan(0)
    expect(readFileSync(join(fleet.repo.path, "README.md"), "utf8")).toBe("one\ntwo\n")
    expect(fleet.leftovers()).toEqual([])
  },
)
