/** The list of features: a daemon is the kernel and these. */
import type { Feature } from "../api/feature.ts"
import { acp } from "../features/acp/index.ts"
import { alternatives } from "../features/alternatives/index.ts"
import { attach } from "../features/attach/index.ts"
import { claude } from "../features/claude/index.ts"
import { cleanUp } from "../features/clean-up/index.ts"
import { clone } from "../features/clone/index.ts"
import { codex } from "../features/codex/index.ts"
import { command } from "../features/command/index.ts"
import { containment } from "../features/containment/index.ts"
import { demo } from "../features/demo/index.ts"
import { files } from "../features/files/index.ts"
import { homes } from "../features/homes/index.ts"
import { hooks } from "../features/hooks/index.ts"
import { labels } from "../features/labels/index.ts"
import { links } from "../features/links/index.ts"
import { metrics } from "../features/metrics/index.ts"
import { ownWork } from "../features/own-work/index.ts"
import { planFiles } from "../features/plan-files/index.ts"
import { pool } from "../features/pool/index.ts"
import { preview } from "../features/preview/index.ts"
import { pullRequests } from "../features/pull-requests/index.ts"
import { recover } from "../features/recover/index.ts"
import { reviews } from "../features/reviews/index.ts"
import { runtimes } from "../features/runtimes/index.ts"
import { schedules } from "../features/schedules/index.ts"
import { sources } from "../features/sources/index.ts"
import { stacks } from "../features/stacks/index.ts"
import { stats } from "../features/stats/index.ts"
import { subTasks } from "../features/sub-tasks/index.ts"
import { targetAlarm } from "../features/target-alarm/index.ts"
import { terminals } from "../features/terminals/index.ts"
import { traces } from "../features/traces/index.ts"
import { undo } from "../features/undo/index.ts"
import { verbs } from "../features/verbs/index.ts"

/** In the order in which they open, start and serve. */
export const FEATURES: readonly Feature[] = [
  acp,
  alternatives,
  claude,
  codex,
  command,
  demo,
  files,
  labels,
  ownWork,
  planFiles,
  preview,
  pullRequests,
  recover,
  stacks,
  stats,
  undo,
  verbs,
  containment, // left containers end before a home is followed to its new place
  runtimes, // which find old programs around containers
  links,
  cleanUp, // git finds no left locks from here on
  targetAlarm,
  sources,
  schedules, // which poll sources
  subTasks,
  reviews,
  traces,
  hooks,
  pool,
  terminals,
  attach,
  metrics,
  homes,
  clone,
]
