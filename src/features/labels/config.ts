/** `agents.*.labels` of coppice.yml. */
import { z } from "zod"
import { text } from "../../config/value-kinds.ts"
import { findLabelFault } from "./rules.ts"

const label = text.superRefine((value, context) => {
  const message = findLabelFault(value)
  if (message !== undefined) context.addIssue({ code: "custom", message })
})

/** Keys of an agent. The descriptions are those of the reference, editors and `config explain`. */
export const LABEL_KEYS = {
  labels: z
    .array(label)
    .default([])
    .describe("Labels that each task of this agent gets when it first starts."),
}
