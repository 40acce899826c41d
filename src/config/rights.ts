/** Compares two agents, one of which does work in the other's place: with all of its fences, and no more rights. */

import { coversNetwork } from "../features/containment/rules/allowed-hosts.ts"
import { isGuarded } from "../features/permissions/rules.ts"
import type { AgentConfig } from "./config.ts"

/** @returns a sentence about a fence around the first agent that the other one lacks. */
export function findMissingFence(first: AgentConfig, other: AgentConfig): string | undefined {
  const { name, containment, permissions } = other
  if (first.containment.by !== "none" && containment.by === "none")
    return `\`${name}\` is not contained, but \`${first.name}\` is: give it a \`containment\` too`
  if (!coversNetwork(first.containment.network, containment.network))
    return `\`${name}\` can reach more of the network than \`${first.name}\`: give it the same \`contained.network\``
  return isGuarded(first.permissions) &&
    JSON.stringify(first.permissions) !== JSON.stringify(permissions)
    ? `\`${name}\` has other \`permissions\` than \`${first.name}\`: give it the same`
    : undefined
}

/**
 * @param agents all of them: a fallback of the other one may take over.
 * @returns a sentence about what a sub-task of the first agent could do only on the other one.
 */
export function findGainedRight(
  agents: readonly AgentConfig[],
  first: AgentConfig,
  other: AgentConfig,
): string | undefined {
  const { name } = other
  const isNew = (one: AgentConfig) =>
    other.fallback.includes(one.name) && !first.fallback.includes(one.name)
  for (const one of [other, ...agents.filter(isNew)]) {
    const gained = findGainedByProgram(first, one)
    if (gained) return gained
  }
  if (other.workspace.strategy === "static")
    return `\`${name}\` has \`strategy: static\`: a sub-task needs a worktree of its own`
  if (other.planner !== undefined && ![first.name, first.planner].includes(other.planner))
    return `\`${other.planner}\` plans for \`${name}\`, and not for \`${first.name}\`: give both the same \`plan.by\``
  if (first.review && JSON.stringify(first.review) !== JSON.stringify(other.review))
    return `\`${name}\` has another \`review\` than \`${first.name}\`: give it the same`
  const unkept = findUnkeptLanding(first.landing, other.landing)
  if (unkept)
    return `\`${name}\` lands without \`landing.${unkept}\` of \`${first.name}\`: give it the same`
  const merge = other.pullRequest.autoMerge && findFreerMerge(first.pullRequest, other.pullRequest)
  if (merge)
    return `\`${name}\` merges its pull requests: give it the same \`pull_request.${merge}\` as \`${first.name}\``
  return startsMore(first.tasks, other.tasks)
    ? `\`${name}\` may start more sub-tasks than \`${first.name}\`: give it at most the same \`tasks\``
    : undefined
}

/** The rights that an agent brings along also where it stands in for another one. */
export function findGainedByProgram(first: AgentConfig, other: AgentConfig): string | undefined {
  const fence = findMissingFence(first, other)
  if (fence) return fence
  if (first.containment.by !== "none" && !coversFiles(first.containment, other.containment))
    return `\`${other.name}\` can reach more files than \`${first.name}\`: give it the same \`contained.read\` and \`contained.caches\``
  const dearer = findDearer(first.budget, other.budget)
  return dearer === undefined
    ? undefined
    : `\`${other.name}\` may use more than \`${first.name}\`: give it at most the same \`budget.${dearer}\``
}

/** Keys of coppice.yml. */
const DUTIES = { require_done: "requireDone", sign: "sign", signoff: "signoff" } as const

/** @returns a key of `landing`. */
function findUnkeptLanding(first: AgentConfig["landing"], other: AgentConfig["landing"]) {
  if (first.hooks.some((hook) => !other.hooks.includes(hook))) return "hooks"
  // Hooks run in a candidate, and the gate with them.
  const isLooser = first.gateIn === "candidate" && other.gateIn !== "candidate"
  if (isLooser && other.hooks.length === 0) return "gate_in"
  return Object.entries(DUTIES).find(([, key]) => first[key] && !other[key])?.[0]
}

/** @returns a key of `pull_request`. */
function findFreerMerge(first: AgentConfig["pullRequest"], other: AgentConfig["pullRequest"]) {
  if (other.autoMerge !== first.autoMerge) return "auto_merge"
  if (first.reviewers.some((one) => !other.reviewers.includes(one))) return "reviewers"
  return first.isDraft && !other.isDraft ? "draft" : undefined // a forge merges no draft
}

type Contained = AgentConfig["containment"]

function coversFiles(first: Contained, other: Contained): boolean {
  if (other.read.some((path) => !first.read.includes(path))) return false
  if (other.caches.some((path) => !first.caches.includes(path))) return false
  return other.cachesWrittenBy === "setup" || first.cachesWrittenBy === "all"
}

/** Keys of coppice.yml. */
const LIMITS = { turns: "turns", time: "timeMs", tokens: "tokens", cost: "costUsd" } as const

/** @returns the first limit that is higher, or missing. */
function findDearer(first: AgentConfig["budget"], other: AgentConfig["budget"]) {
  const limits = Object.entries(LIMITS)
  return limits.find(([, key]) => (other[key] ?? Infinity) > (first[key] ?? Infinity))?.[0]
}

type Starts = AgentConfig["tasks"]

function startsMore(first: Starts, other: Starts): boolean {
  if (other.propose === "ask") return false
  const isMore = other.countMax > first.countMax || other.depthMax > first.depthMax
  return first.propose === "ask" || isMore
}
