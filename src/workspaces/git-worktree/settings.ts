/** What the configuration says that a set-up has to know, in one question. */
import { listConfig } from "../../git/config.ts"
import { readTracking, type Tracking, trackingKeys } from "../../git/remote.ts"
import { CHECKOUT_KEYS, type CheckoutConfig } from "../../git/true-modes.ts"

export type Settings = { readonly tracking: Tracking; readonly checkout: CheckoutConfig }

/** Of the repository and its branch `target`. A new worktree has the settings of the main one. */
export async function readSettings(repo: string, target: string): Promise<Settings> {
  const config = await listConfig(repo, `^(${CHECKOUT_KEYS}|${trackingKeys(target)})$`)
  return { tracking: await readTracking(repo, target, config), checkout: config }
}
