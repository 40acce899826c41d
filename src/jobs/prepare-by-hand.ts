/** Sets up a task's worktrees at a person's request, without starting an agent. */
import type { AgentConfig } from "../core/config.ts"
import type { TaskId } from "../core/ids.ts"
import type { JobsContext } from "./context.ts"
import { prepareWorkspace } from "./prepare-workspace.ts"

/** @param agent whose configuration applies if the task has no agent. */
export async function prepareByHand(
  context: JobsContext,
  id: TaskId,
  { agent, signal }: { readonly agent: AgentConfig | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const settings = agent === undefined ? undefined : () => agent
  await context.taskLock.hold(id, () => prepareWorkspace(context, id, signal, settings))
}
