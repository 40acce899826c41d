/** `progress`: one line about what the agent is doing. */
import { type HeardDocument, Progress } from "../../core/wire/agent.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const progress = verb({
  name: "progress",
  about: "Say in one line what you are doing, for the people who watch.",
  input: Progress,
  run: async ({ fleet, id, input }): Promise<HeardDocument> => {
    if (!(await fleet.progress.note(id, input.text))) throw turnIsOver()
    return { heard: true }
  },
})
