/** The defaults that a new task takes, shown before anything starts. */
import { assert } from "../core/assert.ts"
import type { AgentConfig, LandMode, RepoConfig } from "../core/config.ts"
import type { TakenDocument } from "../core/wire.ts"
import { gateCommand } from "../workspaces/gate-command.ts"
import { readProjectAt } from "../workspaces/project-at.ts"
import { setupCommand } from "../workspaces/setup/setup-command.ts"
import type { TaskTarget } from "./target.ts"

export type RepoOfTask = { readonly repo: RepoConfig; readonly target: TaskTarget }

/** @param repos at least one; the first one's values are also at the top level of the document. */
export async function readTaskDefaults(
  repos: readonly RepoOfTask[],
  { agent, land }: { agent: AgentConfig; land: LandMode },
): Promise<TakenDocument> {
  const isStatic = agent.workspace.strategy === "static"
  const taken = await Promise.all(repos.map((one) => (isStatic ? readFolder(one) : readRepo(one))))
  const [first] = taken
  assert(first, "a task has a repository")
  const { name, target, gate, setup } = first
  const isApproved = land === "merge" && repos.some(({ repo }) => repo.approve)
  return {
    agent: agent.name,
    runtime: agent.runtime,
    repo: name,
    target,
    gate,
    setup,
    land: isApproved ? "approve" : land,
    repos: taken,
  }
}

/** A static folder has no set-up and no gate. */
function readFolder({ target: { name, target } }: RepoOfTask): TakenDocument["repos"][number] {
  return { name, target, gate: null, setup: null }
}

async function readRepo({
  repo,
  target: { path, name, target, commit },
}: RepoOfTask): Promise<TakenDocument["repos"][number]> {
  const guessed = repo.gate === undefined || repo.setup === undefined
  const project = guessed ? await readProjectAt(path, commit) : undefined
  const gate = repo.gate ?? (project && gateCommand(project))
  const setup = repo.setup ?? (project && setupCommand(project))
  return { name, target, gate: gate || null, setup: setup || null }
}
