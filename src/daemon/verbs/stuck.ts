/** `stuck`: the agent cannot go on. Its task stops, and we end its process. */
import { type HeardDocument, Stuck } from "../../core/wire/agent.ts"
import { recordReportedStuck } from "./record-reported-stuck.ts"
import { turnIsOver } from "./turn-is-over.ts"
import { verb } from "./verb.ts"

export const stuck = verb({
  name: "stuck",
  about: "Say that you cannot go on. Your process ends, your files stay, and a person decides.",
  input: Stuck,
  run: async ({ fleet, id, input }): Promise<HeardDocument> => {
    if (!recordReportedStuck(fleet, id, input.reason)) throw turnIsOver()
    return { heard: true }
  },
})
