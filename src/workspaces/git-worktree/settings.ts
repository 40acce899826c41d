/** What the configuration says that a set-up has to know, in one question. */
import { CHECKOUT_KEYS, type CheckoutConfig } from "../../git/index/true-modes.ts"
import { readTracking, type Tracking, trackingKeys } from "../../git/refs/remote.ts"
import { listConfig } from "../../git/repository/config.ts"
import { looks } from "./looks.ts"

export type Settings = {
  readonly tracking: Tracking
  readonly checkout: CheckoutConfig
}

/** Questions that git has not been asked yet, by repository and branch: later callers share the answer. */
const waiting = new Map<string, Promise<Settings>>()

/** Of the repository and its branch `target`. A new worktree has the settings of the main one. */
export function readSettings(repo: string, target: string): Promise<Settings> {
  const key = `${repo}\0${target}`
  const shared = waiting.get(key) ?? begin(key, () => ask(repo, target))
  waiting.set(key, shared)
  return shared
}

async function begin(key: string, question: () => Promise<Settings>): Promise<Settings> {
  await Promise.resolve() // all who ask at once have asked by then
  return await looks.run(() => {
    waiting.delete(key)
    return question()
  })
}

async function ask(repo: string, target: string): Promise<Settings> {
  const config = await listConfig(repo, `^(${CHECKOUT_KEYS}|${trackingKeys(target)})$`)
  const tracking = await readTracking(repo, target, config)
  return { tracking, checkout: config }
}
