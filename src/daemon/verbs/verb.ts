/**
 * The table of agent verbs: the MCP server and the routes below `/agent/` are made from it.
 *
 * Agents report and do not decide (law 9). No verb lands, moves a target, removes a worktree or
 * sets a state, except `stuck`, which an agent may say of itself.
 */
import type { z } from "zod"
import type { TaskId } from "../../core/ids.ts"
import type { Task } from "../../store/tasks/row.ts"
import type { Fleet } from "../fleet.ts"

export type Verb = {
  readonly name: string
  /** For the agent: what it does and when to use it. */
  readonly about: string
  readonly input: z.ZodObject
  run(request: VerbRequest): Promise<object>
}

export type VerbRequest = {
  readonly fleet: Fleet
  /** The calling agent's task. */
  readonly id: TaskId
  /** The task as it is now. Frequent verbs need only its id. */
  readTask(): Task
  /** As {@link Verb.input} has it. */
  readonly input: unknown
  /** A signal that aborts when the client has gone. */
  untilGone(): AbortSignal
}

/** A verb whose `run` gets input of the schema's type. */
export function verb<Input extends z.ZodObject>(
  definition: Omit<Verb, "input" | "run"> & {
    readonly input: Input
    run(request: Omit<VerbRequest, "input"> & { readonly input: z.infer<Input> }): Promise<object>
  },
): Verb {
  return {
    ...definition,
    run: ({ input, ...request }) =>
      definition.run({ ...request, input: definition.input.parse(input) as z.infer<Input> }),
  }
}
