/**
 * What an agent may say, as a table of verbs: the MCP server and the routes below `/agent/` are made
 * from it.
 *
 * Agents report and do not decide (law 9): nothing here lands, moves a target, removes a worktree or
 * sets a state but `stuck`, which is the agent's own to say.
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
  /** The task of the agent that asks. */
  readonly id: TaskId
  /** As it is now. What an agent says all the time needs no more of it than its id. */
  readTask(): Task
  /** As {@link Verb.input} has it. */
  readonly input: unknown
  /** A signal for those who wait: it aborts when whoever asked is gone. */
  untilGone(): AbortSignal
}

/** A verb whose `run` sees its input as the schema has it. */
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
