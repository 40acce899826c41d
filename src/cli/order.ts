/** When in its queues something is to land: of every command that begins a landing. */
import type { LandingOrder } from "../core/wire/documents.ts"
import type { Option, Values } from "./command.ts"
import { integerValue } from "./operands.ts"

export const ORDER = {
  priority: { type: "string", value: "<n>", about: "Land before what has less; 0 without it" },
  after: { type: "string", value: "<task>", multiple: true, about: "Land after this task" },
} as const satisfies Record<string, Option>

/** As far as it was given. @throws UsageError */
export function orderFrom(values: Values): LandingOrder {
  const priority = integerValue(values, "priority")
  const after = values["after"] as string[] | undefined
  return { ...(priority !== undefined && { priority }), ...(after !== undefined && { after }) }
}
