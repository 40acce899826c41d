/** The text before every conversation: facts about the workspace and the project's instructions. */
import { assert } from "../../base/assert.ts"
import { branchRef, type GitPath, type Oid } from "../../base/ids.ts"
import { readBlobAt } from "../git/ask/cat-file.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { workspaceBrief } from "../workspaces/brief.ts"
import { listPorts } from "../workspaces/rows/ports.ts"
import { workspaceFacts } from "../workspaces/workspace-facts.ts"
import type { JobsContext } from "./context.ts"
import { findRunningJob } from "./rows/jobs/find.ts"
import type { Task, TaskRepo } from "./rows/row.ts"

/** Longer instructions would crowd out the conversation. */
const INSTRUCTION_BYTES_MAX = 64 * 1024

/** Instructions come from the target's commit, so an agent cannot instruct the next one. */
export async function systemPrompt(
  context: Pick<JobsContext, "home" | "db" | "agentConfig">,
  task: Task,
): Promise<string> {
  const { home, db } = context
  const { instructions, systemPrompt: own } = context.agentConfig(task)
  const job = findRunningJob(db, task.id)?.id ?? 0
  const ports = listPorts(db, task.id)
  const [repo] = task.repos
  assert(repo, "a task has a repository")
  const parts = [workspaceBrief(workspaceFacts(task, repo, { home, job, ports }))]
  for (const one of task.repos) {
    const heading = one === repo ? "" : ` of repository ${one.name}`
    const texts = await readInstructions(await sourceOf(task, one), one, instructions)
    for (const { path, text } of texts) parts.push(`# ${path}${heading}\n\n${text}`)
  }
  if (own) parts.push(own)
  return parts.join("\n\n")
}

/** The commit from which the instructions are read. */
async function sourceOf({ strategy }: Task, { path, target }: TaskRepo): Promise<Oid> {
  const name = strategy === "static" ? "HEAD" : branchRef(target)
  const commit = await readCommit(path, name)
  assert(commit, "a workspace was set up from a commit")
  return commit
}

async function readInstructions(
  commit: Oid,
  { path: repo }: TaskRepo,
  instructions: readonly string[],
): Promise<{ readonly path: string; readonly text: string }[]> {
  const found = []
  for (const path of instructions) {
    const text = await readBlobAt(repo, commit, path as GitPath, INSTRUCTION_BYTES_MAX)
    if (text) found.push({ path, text: text.toString("utf8") })
  }
  return found
}
