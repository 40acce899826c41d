/** The meaning of each state of a task, for a person. */
import type { TaskState } from "../rules.ts"

export const STATE_ABOUT: Readonly<Record<TaskState, string>> = {
  registered: "known, and waits for a free place",
  planning: "its agent writes a plan",
  planning_complete: "its plan waits for you",
  working: "its agent works, or its next turn is due",
  shipping: "its branch is being pushed, and its pull request opened",
  reviews_in_progress: "its pull request waits for reviews and checks",
  pr_ready: "its pull request is approved and green, and can be merged",
  in_approval: "you must approve the commits that would land",
  merging: "a landing carries its work to the target",
  merge_failed: "its landing gave up; the worktree stays, and you must act",
  stuck: "stopped, and no process runs; the reason says why",
  paused: "you stopped it",
  complete: "done: landed, kept on its branch, or nothing to land",
  cancelled: "you gave it up; its work was saved",
}
