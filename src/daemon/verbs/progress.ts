/** `progress`: one line about what the agent does now. */
import { type HeardDocument, Progress } from "../../core/wire/agent.ts"
import { verb } from "./verb.ts"

export const progress = verb({
  name: "progress",
  about: "Say in one line what you do now, for the people who watch.",
  input: Progress,
  run: async ({ fleet, task, input }): Promise<HeardDocument> => {
    fleet.progress.note(task.id, input.text)
    return { heard: true }
  },
})
