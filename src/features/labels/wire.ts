/** Labels as they are sent, and as documents and events have them. */
import { z } from "zod"
import { findLabelFault } from "./rules.ts"

const Label = z.string().superRefine((label, context) => {
  const message = findLabelFault(label)
  if (message !== undefined) context.addIssue({ code: "custom", message })
})
const labels = z.array(z.string())

/** A label in both lists is removed. */
export const LabelChange = z.strictObject({
  add: z.array(Label).default([]),
  remove: labels.default([]),
})
export type LabelChange = z.infer<typeof LabelChange>

/** The section of a task's document: in the order of the alphabet. */
export const LABEL_SECTION = { labels }
/** The section of a task in a home without labels. */
export const NO_LABELS: { labels: string[] } = { labels: [] }

export const LABEL_EVENTS = { "task.labelled": z.object({ labels }) }
