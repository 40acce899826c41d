/**
 * The commands and routes that features declare, for tables that every command loads.
 *
 * Nothing here loads zod or a feature's code; schemas.ts does.
 */
import { LABEL_COMMAND, LABEL_ROUTES } from "../features/labels/declared.ts"

/** A list without a spread: the page's bundler leaves it out, with the code of the commands. */
export const COMMANDS_OF_FEATURES = [LABEL_COMMAND]

/** Features whose words about waits stand in lists of all homes. They are loaded when a list is made. */
export const SAYING_WHY = [
  async () => (await import("../features/sub-tasks/index.ts")).subTasks,
  async () => (await import("../features/labels/index.ts")).labels,
]

export const ROUTES_OF_FEATURES = { ...LABEL_ROUTES }
