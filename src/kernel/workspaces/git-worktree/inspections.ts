/**
 * Limits how many set-ups and removals inspect repositories at once; more would start git the slow
 * way.
 */
import { CpuSlots } from "../locks/slots.ts"

/** Each may start two or three git processes in parallel; kernel/git/start/worker-pool.ts has room for eight. */
export const inspections = new CpuSlots(3)
