/**
 * Finds the agent that a proposal names for the sub-task.
 *
 * `agents.<name>.tasks.agents` lists the names, and coppice.yml is refused if one of them may do more than the agent
 * of the list. A fallback that has taken over can have fewer rights, so they are compared here.
 */
import { agentOfTask } from "../../config/agent-of-task.ts"
import type { AgentConfig, Config } from "../../config/config.ts"
import { findGainedByProgram, findGainedRight } from "../../config/rights.ts"
import { repoOfAgent } from "../../config/working-directories.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"

/**
 * @returns undefined for the agent or program of the parent.
 * @throws {DaemonError} `task.refused` (user).
 */
export function chooseAgent(
  config: Config,
  parent: Task,
  name: string | undefined,
): AgentConfig | undefined {
  if (name === undefined || (name === parent.agent && !parent.program)) return undefined
  const own = agentOfTask(config, parent)
  const allowed = own?.tasks.agents ?? []
  const other = config.agents.find((agent) => agent.name === name)
  if (!own || !other || !allowed.includes(name))
    throw refused(`The agent of task ${parent.id} may not choose the agent \`${name}\`.`, [
      allowed.length > 0
        ? `It may choose: ${allowed.join(", ")}.`
        : "A person lists those that it may choose in coppice.yml, under `agents.<name>.tasks.agents`.",
    ])
  const gained = findGainedRight(config.agents, own, other)
  if (gained) throw refused(`A sub-task has at most the rights of its parent: ${gained}.`)
  const place = other.workingDirectory && repoOfAgent(config, other)?.name
  if (place !== undefined && !parent.repos.some((repo) => repo.name === place))
    throw refused(
      `\`${name}\` works in ${place}, and a sub-task works where its parent does: in ${parent.repos.map((repo) => repo.name).join(", ")}.`,
    )
  return other
}

const refused = (message: string, hints: readonly string[] = ["Choose another agent, or none."]) =>
  new DaemonError("task.refused", message, hints)

/** Whether a fallback works on the task with fewer rights than its first agent, which would get a sub-task. */
export function hasFewerRights(config: Config, task: Task): boolean {
  const [now, first] = [task, { ...task, standIn: null }].map((one) => agentOfTask(config, one))
  return now !== undefined && first !== undefined && findGainedByProgram(now, first) !== undefined
}
