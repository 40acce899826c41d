/**
 * The commands and routes that features declare, for tables that every command loads.
 *
 * Nothing here loads zod or a feature's code; schemas.ts does.
 */
import { LABEL_COMMANDS, LABEL_ROUTES } from "../features/labels/declared.ts"

export const COMMANDS_OF_FEATURES = [...LABEL_COMMANDS]

/** Features whose words about waits stand in lists of all homes. They are loaded when a list is made. */
export const SAYING_WHY = [
  async () => (await import("../features/sub-tasks/index.ts")).subTasks,
  async () => (await import("../features/labels/index.ts")).labels,
]

export const ROUTES_OF_FEATURES = { ...LABEL_ROUTES }
