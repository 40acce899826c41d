/** Finds the agent that a request means: one of coppice.yml, a known program, or a typed one. */

import type { NewTask } from "../../../api/wire/requests.ts"
import { agentOfTask, refuseUnkept, type WorkedBy } from "../../../config/agent-of-task.ts"
import { findFault, nameOfProgram } from "../../../config/agent-words.ts"
import type { AgentConfig, AgentProgram, Config } from "../../../config/config.ts"
import { findKnownAgent, KNOWN_AGENTS } from "../../../config/known-agents.ts"
import { abilitiesOf } from "../../../config/runtimes.ts"
import { DaemonError } from "../../errors.ts"

type Asked = Pick<NewTask, "agent" | "with" | "resume" | "model">

/**
 * @returns the agent, and what the task's row keeps of it.
 * @throws {DaemonError} `agent.unknown`, `request.invalid` (user). @throws {UnkeptError}
 */
export function agentOfRequest(config: Config, asked: Asked): [AgentConfig, WorkedBy] {
  const found = asked.with ? typed(config, asked) : named(config, asked)
  const [agent] = found
  refuseUnkept(agent)
  if (asked.model !== undefined && !abilitiesOf(agent.runtime).model)
    throw invalid(`The agent ${agent.name} is a command, which takes no model.`, [
      `Name it in the command itself: \`agents.${agent.name}.command\` in coppice.yml.`,
    ])
  return found
}

export function findAgent(config: Config, name: string | undefined): AgentConfig {
  const found =
    name === undefined ? config.agents[0] : config.agents.find((one) => one.name === name)
  if (found) return found
  const names = config.agents.map((agent) => agent.name).join(", ")
  throw new DaemonError("agent.unknown", `There is no agent ${name}.`, [
    `Agents here: ${names}.`,
    `Known programs: ${KNOWN_AGENTS.map((known) => known.name).join(", ")}.`,
    'Configure an agent in coppice.yml under `agents`, or name a program: `--with "<command>"`.',
  ])
}

function named(config: Config, { agent: name, resume }: Asked): [AgentConfig, WorkedBy] {
  if (resume) throw invalid("`resume` goes with `with`, the words for the first turn.")
  const known = config.agents.some((one) => one.name === name) ? undefined : findKnownAgent(name)
  if (known) return ofProgram(config, known.name, known.program)
  const agent = findAgent(config, name)
  return [agent, { agent: agent.name, program: null }]
}

function typed(config: Config, asked: Asked): [AgentConfig, WorkedBy] {
  const { agent, with: command = [], resume } = asked
  if (agent !== undefined) throw invalid("Name an agent or a program, not both.")
  for (const [words, key] of [
    [command, "with"],
    [resume ?? command, "resume"],
  ] as const) {
    // biome-ignore format: pairs
    const fault = findFault(words)
    if (fault) throw invalid(`\`${key}\` starts no agent: ${fault}.`)
  }
  return ofProgram(config, nameOfProgram(command), { runtime: "command", command, resume })
}

function ofProgram(config: Config, agent: string, program: AgentProgram): [AgentConfig, WorkedBy] {
  const by = { agent, program }
  const found = agentOfTask(config, by)
  if (!found) throw new Error("a configuration has an agent")
  return [found, by]
}

const invalid = (message: string, hints: readonly string[] = []) =>
  new DaemonError("request.invalid", message, hints)
