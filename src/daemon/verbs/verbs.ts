/** Every verb of agents, in the order in which agents see them. */
import { ask } from "./ask.ts"
import { brief } from "./brief.ts"
import { check } from "./check.ts"
import { done } from "./done.ts"
import { peers } from "./peers.ts"
import { progress } from "./progress.ts"
import { proposeTask } from "./propose-task.ts"
import { rebaseToMain } from "./rebase-to-main.ts"
import { stuck } from "./stuck.ts"
import type { Verb } from "./verb.ts"

export const VERBS: readonly Verb[] = [
  brief,
  progress,
  ask,
  check,
  done,
  stuck,
  rebaseToMain,
  peers,
  proposeTask,
]
