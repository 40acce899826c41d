/**
 * Looks at what Coppice needs on this machine, and says what is missing and what would help.
 *
 * Nothing is started but `git --version`; an agent program is looked for, never run.
 */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { Config } from "../core/config.ts"
import type { DoctorDocument } from "../core/documents.ts"
import { AppError } from "../core/errors.ts"
import { readConfigFile } from "./config-file.ts"
import { findHome, type Home, type HomeOptions } from "./home.ts"
import { readProgramVersion } from "./program-version.ts"
import { stateDir } from "./state-dir.ts"

type Env = Readonly<Record<string, string | undefined>>
type Check = DoctorDocument["checks"][number]

const NODE_MAJOR_MIN = 24
/** The first git whose merge-tree writes trees without touching a worktree. */
const GIT_MIN = { major: 2, minor: 38 }

export async function examine(
  cwd: string,
  { home: from, env }: HomeOptions & { readonly env: Env },
): Promise<DoctorDocument> {
  const home = attempt(() => findHome(cwd, { home: from, env }))
  const config = "value" in home ? attempt(() => readConfigFile(home.value, env)) : undefined
  const checks = [nodeCheck(), await gitCheck(env), homeCheck(home)]
  if ("value" in home) checks.push(stateCheck(home.value, env))
  if ("value" in home && config) checks.push(configCheck(home.value, config))
  if (!config || "failed" in config || usesClaude(config.value)) checks.push(claudeCheck(env))
  return { ok: checks.every(({ state }) => state !== "failed"), checks }
}

function nodeCheck(): Check {
  const text = `Node ${process.versions.node}`
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN
    ? ok("node", text)
    : failed("node", text, `Install Node ${NODE_MAJOR_MIN} or newer.`)
}

async function gitCheck(env: Env): Promise<Check> {
  const hint = `Install git ${GIT_MIN.major}.${GIT_MIN.minor} or newer.`
  const said = await readProgramVersion("git", env)
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said ?? "") ?? []
  if (said === undefined || major === undefined) return failed("git", "git cannot be started", hint)
  const enough =
    Number(major) > GIT_MIN.major ||
    (Number(major) === GIT_MIN.major && Number(minor) >= GIT_MIN.minor)
  return enough ? ok("git", said) : failed("git", said, hint)
}

function homeCheck(home: Attempt<Home>): Check {
  if ("failed" in home) return failed("home", home.failed, home.hint)
  return ok("home", home.value.home)
}

function stateCheck({ home }: Home, env: Env): Check {
  const writable = attempt(() => {
    const dir = stateDir(home, env)
    accessSync(dir, constants.W_OK | constants.X_OK)
    return dir
  })
  if ("value" in writable) return ok("state", writable.value)
  return failed("state", writable.failed, "COPPICE_STATE names another folder for the state.")
}

function configCheck({ configPath }: Home, config: Attempt<Config>): Check {
  if ("failed" in config) return failed("config", config.failed, config.hint)
  return ok("config", configPath ?? "no coppice.yml: the defaults hold")
}

function usesClaude({ agents }: Config): boolean {
  return agents.some(({ runtime }) => runtime === "claude")
}

/** The program on the PATH goes first; the Agent SDK brings one of its own. */
function claudeCheck(env: Env): Check {
  const program = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((dir) => dir !== "")
    .map((dir) => join(dir, "claude"))
    .find(isExecutable)
  if (program) return ok("claude", program)
  if ("value" in attempt(() => import.meta.resolve("@anthropic-ai/claude-agent-sdk")))
    return ok("claude", "no program on the PATH; the Agent SDK brings one")
  const hint = "Install Claude Code, or `npm install @anthropic-ai/claude-agent-sdk`."
  return failed("claude", "neither the program nor the Agent SDK is there", hint)
}

function isExecutable(path: string): boolean {
  const found = attempt(() => {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  })
  return "value" in found && found.value
}

type Attempt<Value> =
  | { readonly value: Value }
  | { readonly failed: string; readonly hint: string | null }

/** What a doctor finds wrong is a finding, not the end of the examination. */
function attempt<Value>(act: () => Value): Attempt<Value> {
  try {
    return { value: act() }
  } catch (error) {
    const hint = error instanceof AppError ? (error.hints[0] ?? null) : null
    return { failed: (error as Error).message, hint }
  }
}

function ok(name: string, text: string): Check {
  return { name, state: "ok", text, hint: null }
}

function failed(name: string, text: string, hint: string | null): Check {
  return { name, state: "failed", text, hint }
}
