/** Chooses the agent that takes over from one that cannot work. Pure. */

/** Why an agent cannot work, as the end of a sentence. */
export const CAUSES = {
  limit: "out of quota",
  refused: "refused",
  missing: "not installed",
  unavailable: "unavailable",
} as const
export type Cause = keyof typeof CAUSES
export const CAUSE_NAMES = Object.keys(CAUSES) as [Cause, ...Cause[]]

/** The fallback that has taken over, and why. */
export type StandIn = {
  readonly agent: string
  readonly cause: Cause
  /** The program's own message, for a person. */
  readonly text: string
}

export type Choice = {
  /** The first agent, then its fallbacks. */
  readonly agents: readonly string[]
  /** The one that cannot work now. */
  readonly current: string
  readonly cause: Cause
  /** Whether an agent's account is known to be at its limit. */
  isLimited(agent: string): boolean
}

/**
 * The next agent of the list that is not known to be out of quota.
 *
 * An agent that is known to be out of quota also leads back to earlier ones, whose limits may have been reset.
 * All others lead forward only, so that two agents do not take over from each other for ever.
 */
export function nextAgent({ agents, current, cause, isLimited }: Choice): string | undefined {
  const at = agents.indexOf(current)
  const later = agents.slice(at + 1)
  const leadsBack = cause === "limit" && isLimited(current)
  const earlier = leadsBack ? agents.slice(0, Math.max(at, 0)) : []
  return [...later, ...earlier].find((agent) => !isLimited(agent))
}

/** The agents of a task, for a person. `agent`: the one that the person chose. */
export const workedBy = (agent: string | null, standIn: Pick<StandIn, "agent"> | null): string =>
  standIn === null ? (agent ?? "-") : `${standIn.agent} for ${agent}`

/** Names the agent that took over, and the cause, in a sentence. */
export const standInWords = (agent: string | null, { agent: by, cause, text }: StandIn): string =>
  `${by} took over from ${agent}, which was ${CAUSES[cause]}: ${text}`
