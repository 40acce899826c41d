/** `maintenance` of coppice.yml: automatic clean-up, and how long finished things are kept. */
import { z } from "zod"
import { count, flag } from "./fields.ts"
import { age, bytes, duration } from "./measures.ts"

const worktreeCleanup = z.strictObject({
  enabled: flag(true),
  interval: duration("6h"),
  max_worktree_age: age("7d"),
  cleanup_on_startup: flag(true),
  prune_unmerged_branches: flag(false),
})

const sessionCleanup = z.strictObject({ enabled: flag(true), interval: duration("1h") })

const rescue = z.strictObject({
  max_age: age("90d"),
  max_count: count(1).prefault(200),
  max_size: bytes.prefault("1GB"),
})

export const MaintenanceFile = z.strictObject({
  worktree_cleanup: worktreeCleanup.prefault({}),
  session_cleanup: sessionCleanup.prefault({}),
  retention: age("90d"),
  rescue: rescue.prefault({}),
})
