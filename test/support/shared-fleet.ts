/** One fleet, with one daemon, for the cases of a test file that need none of their own. */
import { afterAll } from "vitest"
import { Fleet, type FleetConfig } from "./fleet.ts"

/** @returns a function that makes the fleet as good as new for a case, see {@link Fleet.renew}. */
export function shareFleet(): (
  config?: FleetConfig | ((fleet: Fleet) => FleetConfig),
) => Promise<Fleet> {
  let fleet: Fleet | undefined
  afterAll(() => fleet?.[Symbol.asyncDispose]())
  return async (config = {}) => {
    const isFirst = fleet === undefined
    fleet ??= new Fleet()
    const given = typeof config === "function" ? config(fleet) : config
    if (isFirst) fleet.configure(given)
    else await fleet.renew(given)
    return fleet
  }
}
