/** The actions that are possible on a task, by the daemon's own table. */
import type { LandingState } from "../../src/kernel/landing/rules.ts"
import { type Action, possibleActions } from "../../src/kernel/tasks/rules/transitions.ts"
import type { TaskState } from "../../src/kernel/tasks/rules.ts"
import type { Line } from "./words.ts"

/** The daemon checks them again: the page lacks some of what decides. */
export const possibleOn = ({
  agent,
  state,
  reviewOf,
  landing,
  kept,
}: Pick<Line, "agent" | "state" | "reviewOf" | "landing" | "kept">): readonly Action[] =>
  possibleActions({
    agent,
    state: state as TaskState,
    reviewOf,
    landingState: (landing?.state ?? null) as LandingState | null,
    land: kept ? "none" : "merge",
    strategy: "git_worktree",
    returnsTo: null,
  })
