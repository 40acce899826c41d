/** Decides whether a gate has to run for a candidate, which one, and where. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { assert } from "../core/assert.ts"
import { readTrees } from "../git/rev-parse.ts"
import { findGateResult } from "../store/gate-results/find.ts"
import type { GateKey, GateResult } from "../store/gate-results/row.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { gateCommand } from "../workspaces/gate-command.ts"
import { readProjectAt } from "../workspaces/project-at.ts"
import { type LandingStep, taskRepo } from "./action.ts"

export type GatePlan =
  | { readonly kind: "none" } // no gate: nothing is tested, and the user was told so
  | { readonly kind: "remembered"; readonly key: GateKey; readonly result: GateResult }
  | { readonly kind: "run"; readonly key: GateKey; readonly worktree: string }
  | { readonly kind: "nowhere"; readonly key: GateKey } // the worktree is gone

export async function planGate(step: LandingStep, repo: LandingRepo): Promise<GatePlan> {
  const { base, candidate, path } = repo
  assert(base && candidate, "a gate is planned for a candidate")
  const configured = step.context.repoConfig(repo).gate
  // Guessed from the target, not from what the agent wrote: its work does not choose its own test.
  const command = configured ?? gateCommand(await readProjectAt(path, base))
  if (!command) return { kind: "none" }

  const [tree] = await readTrees(path, [candidate])
  assert(tree, "a candidate has a tree")
  const key = { tree, command, environment: environmentHash(step, repo) }
  const result = findGateResult(step.context.db, key)
  if (result) return { kind: "remembered", key, result }
  const worktree = step.task.agent === null ? null : taskRepo(step, repo).worktree
  if (!worktree || !existsSync(worktree)) return { kind: "nowhere", key }
  return { kind: "run", key, worktree }
}

/** A hash of what else a result depends on: how the worktree was set up, and the agent's variables. */
function environmentHash(step: LandingStep, repo: LandingRepo): string {
  const { setup, check, copy, link } = step.context.repoConfig(repo)
  const { env } = step.context.agentConfig(step.task.agent)
  const facts = JSON.stringify({ setup, check, copy, link, env, platform: process.platform })
  return createHash("sha256").update(facts).digest("hex").slice(0, 16)
}
