/** The documents, sections of a task's document, events and keys of coppice.yml that features declare, with zod. */
import { z } from "zod"
import { LABEL_KEYS } from "../features/labels/config.ts"
import { LABEL_EVENTS, LABEL_SECTION, LabelChange, NO_LABELS } from "../features/labels/wire.ts"

/** Documents of routes, by name. */
export const DOCUMENTS = { LabelChange }

/** Keys of a task's document, and their values in a home without the feature. */
export const SECTIONS = { ...LABEL_SECTION }
export const NO_SECTIONS_OF_FEATURES = { ...NO_LABELS }

export const EVENTS_OF_FEATURES = { ...LABEL_EVENTS }

/** Keys of an agent, as coppice.yml and the program have them. */
export const AgentKeys = z.object({ ...LABEL_KEYS })
export type AgentKeys = Readonly<z.infer<typeof AgentKeys>>
