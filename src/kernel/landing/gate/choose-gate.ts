/** Decides whether a gate has to run for a candidate, which one, and where. */

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listJudgedByHooks } from "../../../features/git-hooks/judged-by-hooks.ts"
import { nameGate } from "../../../features/git-hooks/rules.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { readProjectAt } from "../../workspaces/project-at.ts"
import { guessCommands } from "../../workspaces/rules/ecosystems/ecosystems.ts"
import { listMisplaced } from "../../workspaces/submodules.ts"
import { type Configured, type LandingContext, type Rows, type Step, taskRepo } from "../action.ts"
import { findGateResult, type GateKey, type GateResult } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import { listOwnChanges } from "./own-changes.ts"
import { gateVariables } from "./run-gate.ts"

export type GateChoice =
  | { readonly kind: "none" } // no gate: nothing is tested, and `coppice run` said so
  | (Chosen & {
      readonly kind: "remembered"
      readonly result: GateResult
      /** The paths of the work that it changed; see own-changes.ts. */
      readonly own: readonly GitPath[]
    })
  /** `worktree` is null if it runs in a disposable one. */
  | (Chosen & { readonly kind: "run"; readonly worktree: string | null })

type Chosen = {
  readonly key: GateKey
  /** The keys of the command's results on the base. No git hook is part of them. */
  readonly baseKeys: BaseKeys
  /** Names the command and the git hooks in a sentence. */
  readonly title: string
  /** The gate runs, or ran, in a disposable worktree. */
  readonly isFresh: boolean
}

export type BaseKeys = {
  /** In the same kind of place as the gate on the candidate. */
  readonly here: GateKey
  readonly fresh: GateKey
}

/** Whether the result of the gate lets the work land. */
export const isGreen = ({
  result,
  own,
}: {
  readonly result: GateResult
  readonly own: readonly GitPath[]
}): boolean => result.exitCode === 0 && own.length === 0

/** The gate of a repository that has hooks alone. */
const NO_COMMAND = ":"

export async function chooseGate(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
): Promise<GateChoice> {
  const { base, candidate, path } = repo
  assert(base && candidate, "a gate is chosen for a candidate")
  const { hooks } = step.context.agentConfig(step.task).landing
  const found = await findGate(step.context, repo, base)
  const title = nameGate(found, hooks)
  if (title === null) return { kind: "none" }
  const command = found ?? NO_COMMAND

  const [tree, baseTree] = await readTrees(path, [candidate, base])
  assert(tree && baseTree, "a candidate and its base have trees")
  const siblings = await readSiblings(step, repo)
  const judged = await listJudgedByHooks(step, repo)
  const choices = (await listPlaces(step, repo, candidate)).map((worktree) => {
    const isFresh = worktree === null
    const at = (isFresh: boolean) => listEnvironment(step, repo, { isFresh, siblings })
    const key = { tree, command, environment: hash({ ...at(isFresh), ...judged }) }
    const onBase = (isFresh: boolean) => {
      return { tree: baseTree, command, environment: hash(at(isFresh)) }
    }
    const baseKeys = { here: onBase(isFresh), fresh: onBase(true) }
    return { worktree, isFresh, key, baseKeys, title }
  })
  for (const { worktree: _, ...chosen } of choices) {
    const result = findGateResult(step.context.db, chosen.key)
    if (!result) continue
    return { kind: "remembered", ...chosen, result, own: await listOwnChanges(repo, result.wrote) }
  }
  const choice = choices.at(-1)
  assert(choice, "there is a place for a gate")
  return { kind: "run", ...choice }
}

/** Where the gate would run now: the task's worktree, or null for a disposable one. */
export async function findGatePlace(
  step: Step<Configured>,
  repo: LandingRepo,
): Promise<string | null> {
  assert(repo.candidate, "a gate is chosen for a candidate")
  return (await listPlaces(step, repo, repo.candidate)).at(-1) ?? null
}

/**
 * The places whose results count; the gate runs in the last one.
 *
 * Once a landing is decided, later work may be in the task's worktree, so the gate does not run
 * there again. Nor does it run where submodules would stay at other commits than the tested ones.
 */
async function listPlaces(
  step: Step<Configured>,
  repo: LandingRepo,
  candidate: Oid,
): Promise<readonly (string | null)[]> {
  const worktree = findWorktree(step, repo)
  if (worktree === null) return [null]
  const serves = !step.landing.decided && (await listMisplaced(worktree, candidate)).length === 0
  return serves ? [worktree] : [worktree, null]
}

/**
 * The configured command, else a guess from the target, because work must not choose its own test.
 */
export async function findGate(
  context: Pick<LandingContext, "repoConfig">,
  repo: { readonly name: string; readonly path: string },
  base: Oid,
): Promise<string | undefined> {
  const configured = context.repoConfig(repo).gate
  return (configured ?? guessCommands(await readProjectAt(repo.path, base)).gate) || undefined
}

/**
 * Where the gate may run: not in a worktree where another task works, and not where the
 * configuration forbids it.
 */
function findWorktree(step: Step<Configured>, repo: LandingRepo): string | null {
  const { task } = step
  const { worktree } = taskRepo(step, repo)
  const { gateIn, hooks } = step.context.agentConfig(task).landing
  // `pre-commit` needs a worktree in which HEAD may move.
  if (task.strategy === null || gateIn === "candidate" || hooks.length > 0) return null
  return worktree !== null && existsSync(worktree) ? worktree : null
}

/** The trees of the landing's other repositories, which a gate may look into. */
async function readSiblings({ landing }: Step, repo: LandingRepo): Promise<readonly Oid[]> {
  const trees: Oid[] = []
  for (const { name, path, candidate } of landing.repos)
    if (name !== repo.name && candidate) trees.push(...(await readTrees(path, [candidate])))
  return trees
}

/**
 * Lists the other inputs of a result: set-up, copied and linked files, the agent's variables, the
 * platform, sibling trees, and whether the worktree is disposable.
 */
function listEnvironment(
  step: Step<Configured>,
  repo: LandingRepo,
  place: { readonly isFresh: boolean; readonly siblings: readonly Oid[] },
): object {
  const { setup, check, copy, link, gateWrites } = step.context.repoConfig(repo)
  const env = gateVariables(step.context.agentConfig(step.task).env)
  const isFresh = place.isFresh || undefined
  const siblings = place.siblings.length > 0 ? place.siblings : undefined
  const { platform } = process
  return { setup, check, copy, link, gateWrites, env, platform, isFresh, siblings }
}

const hash = (facts: object): string =>
  createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16)
