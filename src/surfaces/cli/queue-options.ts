/** Options that place a landing in its queue, shared by every command that starts one. */
import type { LandingOrder } from "../../api/wire/landings.ts"
import type { Option, Values } from "./command.ts"
import { UsageError } from "./errors.ts"
import { textValue } from "./operands.ts"

export const ORDER = {
  priority: {
    type: "string",
    value: "<n>",
    about: "Higher starts, and lands, first (default 0)",
  },
  after: { type: "string", value: "<task>", multiple: true, about: "Land after this task" },
} as const satisfies Record<string, Option>

/** The options that were given. @throws UsageError */
export function orderFrom(values: Values): LandingOrder {
  const priority = integerValue(values, "priority")
  const after = values["after"] as string[] | undefined
  return { ...(priority !== undefined && { priority }), ...(after !== undefined && { after }) }
}

/** Possibly negative. */
function integerValue(values: Values, name: string): number | undefined {
  const value = textValue(values, name)
  if (value === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(value)
}
