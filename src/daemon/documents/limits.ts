/** Describes the limits of a home's agents, and how much of today's is used. */
import { dayOf, hasLimit } from "../../core/agents/budget.ts"
import type { StatusDocument } from "../../core/wire/home.ts"
import { sumSpentSince } from "../../store/turns/usage.ts"
import type { Home } from "../home.ts"

type Of = Pick<Home, "db" | "world" | "config">

export function limitsDocument({ db, world, config }: Of): NonNullable<StatusDocument["limits"]> {
  const { agents, limits } = config()
  const { concurrent } = limits
  const byName = agents.map(({ name, concurrentMax = concurrent, reserve = limits.reserve }) => ({
    name,
    max: concurrentMax,
    reserve,
  }))
  return { concurrent, agents: byName, perDay: usedToday({ db, world, config }) }
}

function usedToday({ db, world, config }: Of) {
  const { perDay } = config().limits
  if (!hasLimit(perDay)) return []
  const spent = sumSpentSince(db, dayOf(world.nowMs()).startMs)
  const limited = [
    ["turns", spent.turns, perDay.turns],
    ["time", spent.timeMs, perDay.timeMs],
    ["tokens", spent.tokens, perDay.tokens],
    ["cost", spent.costUsd, perDay.costUsd],
  ] as const
  return limited.flatMap(([of, used, max]) => (max === undefined ? [] : [{ of, used, max }]))
}
