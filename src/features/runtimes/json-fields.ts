/** Reads fields of JSON that a program wrote, whatever their shape. */

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none if it is none. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []

/** A count or an amount; 0 if it is none. */
export const numberOf = (value: unknown): number => (Number.isFinite(value) ? (value as number) : 0)

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
