/** Chooses what goes early where worktrees take more room than they may. Pure. */

export type Budgeted = {
  readonly name: string
  /** Null where it is not known. */
  readonly bytes: number | null
  readonly ageMs: number
  /** Nothing would be lost. */
  readonly isSafe: boolean
  /** It goes anyway. */
  readonly isGoing: boolean
}

export type BudgetPlan = {
  /** Names of what goes although its age would let it stay. */
  readonly chosen: ReadonlySet<string>
  /** Of all that is known, before anything goes. */
  readonly bytes: number
  /** What is left is within the budget, as far as is known. */
  readonly isMet: boolean
}

/** The oldest go first, and none that holds what is nowhere else. @param bytesMax undefined: no bound. */
export function planBudget(all: readonly Budgeted[], bytesMax: number | undefined): BudgetPlan {
  const sum = (some: readonly Budgeted[]) =>
    some.reduce((bytes, one) => bytes + (one.bytes ?? 0), 0)
  const bytes = sum(all)
  if (bytesMax === undefined) return { chosen: new Set(), bytes, isMet: true }
  let left = sum(all.filter(({ isGoing }) => !isGoing))
  const chosen = new Set<string>()
  const candidates = all.filter(({ isGoing, isSafe, bytes }) => !isGoing && isSafe && bytes)
  for (const one of candidates.sort((a, b) => b.ageMs - a.ageMs)) {
    if (left <= bytesMax) break
    chosen.add(one.name)
    left -= one.bytes ?? 0
  }
  return { chosen, bytes, isMet: left <= bytesMax }
}
