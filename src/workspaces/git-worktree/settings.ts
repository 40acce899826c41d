/** Reads the git configuration for a set-up, in one git command. */

import { listConfig } from "../../git/ask/config.ts"
import { readTracking, type Tracking, trackingKeys } from "../../git/ask/remote.ts"
import { CHECKOUT_KEYS, type CheckoutConfig } from "../../git/ask/true-modes.ts"
import { inspections } from "./inspections.ts"

export type TargetSettings = {
  readonly tracking: Tracking
  readonly checkout: CheckoutConfig
}

/** Calls that have not started git yet, by repository and branch; later callers share them. */
const waiting = new Map<string, Promise<TargetSettings>>()

/**
 * For the repository and its branch `target`. A new worktree has the configuration of the main one.
 */
export function readTargetSettings(repo: string, target: string): Promise<TargetSettings> {
  const key = `${repo}\0${target}`
  const shared = waiting.get(key) ?? begin(key, () => ask(repo, target))
  waiting.set(key, shared)
  return shared
}

async function begin(
  key: string,
  question: () => Promise<TargetSettings>,
): Promise<TargetSettings> {
  await Promise.resolve() // simultaneous callers have joined by now
  return await inspections.run(() => {
    waiting.delete(key)
    return question()
  })
}

async function ask(repo: string, target: string): Promise<TargetSettings> {
  const config = await listConfig(repo, `^(${CHECKOUT_KEYS}|${trackingKeys(target)})$`)
  const tracking = await readTracking(repo, target, config)
  return { tracking, checkout: config }
}
