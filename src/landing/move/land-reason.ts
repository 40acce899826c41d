/** What a landing's move of its target is called in the reflog. */
import type { LandingStep } from "../action.ts"

export const landReason = ({ task, landing }: Pick<LandingStep, "task" | "landing">): string =>
  `coppice: land task ${task.id} (landing ${landing.id})`
