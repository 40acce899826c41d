/** The reflog message of a landing's move of its target. */
import type { LandingStep } from "../action.ts"

export const landReason = ({ task, landing }: Pick<LandingStep, "task" | "landing">): string =>
  `coppice: land task ${task.id} (landing ${landing.id})`
