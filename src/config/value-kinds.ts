/**
 * The kinds of value that coppice.yml holds.
 *
 * Numbers and switches are also taken as text, because `${VAR}` always yields text.
 */
import { z } from "zod"

/** A whole number, at least `min`, at most `max`. */
export function count(min: number, max?: number) {
  const bound = z.int().min(min)
  const number = max === undefined ? bound : bound.max(max)
  const range = max === undefined ? `, at least ${min}` : ` from ${min} to ${max}`
  return z.union([number, z.string().regex(/^\d+$/).transform(Number).pipe(number)], {
    error: `must be a whole number${range}`,
  })
}

export function flag(byDefault: boolean) {
  const word = z.enum(["true", "false"]).transform((text) => text === "true")
  return z.union([z.boolean(), word], { error: "must be true or false" }).prefault(byDefault)
}

export const text = z.string().min(1, "must not be empty")

export const webAddress = text.refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  "must be the address of a web server, with http or https",
)

/** A shell command. YAML reads the commands `true` and `false` as switches: the former is meant. */
export const command = z.union([text, z.literal(true).transform(() => "true")], {
  error: "must be a command, in one string",
})

/** A shell command, or `false` to use none. */
export const optionalCommand = z.union([command, z.literal(false)], {
  error: "must be a command in one string, or false for none",
})
