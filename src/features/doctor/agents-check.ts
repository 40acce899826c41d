/**
 * Checks the agent programs: those that coppice.yml names, and the known ones on the PATH, with their
 * versions and logins.
 *
 * A missing, broken or outdated program is a failure only if an agent here needs it.
 */

import { askProgram } from "../../api/client/ask-program.ts"
import type { AgentConfig } from "../../config/config.ts"
import { findOutdated, KNOWN_AGENTS, type KnownAgent } from "../../config/known-agents.ts"
import type { Env } from "../../config/substitute.ts"
import { findOnPath, isMissing } from "../../kernel/process/find-program.ts"
import { programsOf } from "../../kernel/workspaces/rules/ecosystems/programs.ts"
import { checkClaude, checkLogins } from "./claude-check.ts"
import { type Check, failedCheck, passedCheck } from "./doctor-check.ts"
import { accountsOf, findLogin } from "./login-check.ts"

type Checked = {
  /** Undefined if coppice.yml cannot be read. */
  readonly agents: readonly AgentConfig[] | undefined
  /** There is a coppice.yml. Without one, a person may name another agent for each task. */
  readonly isListed: boolean
  readonly env: Env
}

/** Programs that load a megabyte of code answer slowly on a busy machine. */
const VERSION_MS_MAX = 20_000

/** Each program is asked for its version alone; the rest is read from files and variables. */
export async function checkPrograms({ agents, isListed, env }: Checked): Promise<Check[]> {
  const users = ({ name }: KnownAgent) =>
    agents?.filter((agent) => programsOfAgent(agent).includes(name))
  const present = KNOWN_AGENTS.flatMap((known) => {
    const program = findAgentProgram(known, env)
    return program === undefined ? [] : { known, program, users: users(known) }
  })
  const found = await Promise.all(present.map((one) => checkAgent(one, env)))
  const checks = [
    ...found.flatMap((rows, at) => (present[at]!.users?.length === 0 ? rows.map(asHint) : rows)),
    ...missingPrograms(agents ?? [], env),
  ]
  if (checks.length === 0) {
    const names = KNOWN_AGENTS.map(({ name }) => name).join(", ")
    checks.push(passedCheck("agents", `no other agent program is on the PATH (${names})`))
  }
  const ofClaude = agents?.filter(isOfClaude)
  if (ofClaude?.length === 0) return checks
  const other = isListed ? undefined : present.find((_, at) => found[at]![0]?.state === "ok")
  const claude = checkClaude(env)
  const logins = claude.state === "ok" ? checkLogins(ofClaude ?? [], env) : []
  return [claudeUnless(other?.known.name, claude), ...logins, ...checks]
}

const asHint = (check: Check): Check => ({ ...check, state: "ok" })

/** @param other a program that can do without claude. */
function claudeUnless(other: string | undefined, check: Check): Check {
  if (check.state === "ok" || other === undefined) return check
  const hint = `\`coppice run --agent ${other}\` does without it. To install it: ${check.hint}`
  return asHint({ ...check, hint })
}

const isOfClaude = ({ runtime }: AgentConfig): boolean => runtime.startsWith("claude")

/** Names or paths of the programs that the agent starts on this machine. */
function programsOfAgent(agent: AgentConfig): readonly string[] {
  const { runtime, command, resume, containment } = agent
  if (isOfClaude(agent)) return ["claude"]
  if (runtime === "codex") return ["codex"]
  if (containment.by === "container") return [] // the image has them
  return [command, resume].flatMap((one = []) =>
    typeof one === "string" ? programsOf(one) : one.slice(0, 1),
  )
}

/** Claude has a check of its own, as the Agent SDK may bring it. */
function missingPrograms(agents: readonly AgentConfig[], env: Env): Check[] {
  const users = new Map<string, string[]>()
  for (const agent of agents.filter((one) => !isOfClaude(one)))
    for (const program of programsOfAgent(agent).filter((one) => lacks(one, agent, env)))
      users.set(program, [...(users.get(program) ?? []), agent.name])
  return [...users].map(([program, names]) => {
    const known = KNOWN_AGENTS.find(({ name }) => name === program)
    const set = known?.override && env[known.override]
    const text = set
      ? `${known.override} names no program: ${set}`
      : `there is no program ${program}, which ${names.map((name) => `agents.${name}`).join(", ")} start${names.length > 1 ? "" : "s"}`
    const other = known?.override ? ` Or set ${known.override} to its path.` : ""
    const hint = known
      ? `Install it: \`${known.install}\`.${other}`
      : `Put it on the PATH of Coppice, or name another in \`agents.${names[0]}.command\`.`
    return failedCheck(`agent ${program}`, text, set ? "Correct or unset it." : hint)
  })
}

function lacks(program: string, { command, env: own }: AgentConfig, env: Env): boolean {
  const known = KNOWN_AGENTS.find(({ name }) => name === program)
  if (known) return findAgentProgram(known, env) === undefined
  const path = typeof command === "string" ? (own["PATH"] ?? env["PATH"]) : env["PATH"]
  return isMissing(program, path)
}

const findAgentProgram = ({ name, override = "" }: KnownAgent, env: Env): string | undefined =>
  findOnPath(env[override] || name, env["PATH"])

type Present = {
  readonly known: KnownAgent
  readonly program: string
  readonly users: readonly AgentConfig[] | undefined
}

/** One check for each account, or one failure. */
async function checkAgent({ known, program, users }: Present, env: Env): Promise<Check[]> {
  const { name } = known
  const called = `agent ${name}`
  const answer = await askProgram([program, "--version"], env, VERSION_MS_MAX)
  if ("refused" in answer) {
    const again = answer.isSilent
      ? "The machine may be busy: run `coppice doctor` again. Else i"
      : "I"
    return [
      failedCheck(called, `${name} --version: ${answer.refused}`, `${again}nstall ${name} again.`),
    ]
  }
  const outdated = findOutdated(known, answer.said)
  if (outdated) return [failedCheck(called, outdated.why, outdated.hint)]
  const version = /\d+(\.\d+)+/.exec(answer.said)?.[0] ?? "of an unknown version"
  if (name === "claude" && users?.length !== 0) return [passedCheck(called, version)]
  return accountsOf(known, users ?? [], env).map((account) => {
    const isOwn = account.agents.length > 0
    const label = isOwn ? `agent ${account.agents.join(", ")}` : called
    const what = isOwn ? `${name} ${version}` : version
    const login = findLogin(known, account.env)
    if ("found" in login) return passedCheck(label, `${what}, logged in (${login.found})`)
    const key = known.login.keys[0]
    const hint = `If it is not logged in: \`${account.command}\`${key ? `, or set ${key}` : ""}.`
    const text = login.folder ? `${what}, no login found in ${login.folder}` : what
    return { ...passedCheck(label, text), hint }
  })
}
