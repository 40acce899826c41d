/** Describes the limits of a home's agents, and how much of today's is used. */

import type { Home } from "../../kernel/home.ts"
import { sumSpentSince } from "../../kernel/tasks/rows/turns/usage.ts"
import { dayOf, hasLimit } from "../../kernel/tasks/rules/budget.ts"
import type { StatusDocument } from "../wire/home.ts"

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
