/** Searches as in `repo:acme/demo is:open label:"help wanted"`. */
import type { Call } from "./route.ts"

const QUALIFIER = /(-?[\w-]+):("[^"]*"|\S+)/g
/** Qualifiers that name the one repository, or the order. */
const ALWAYS_SO = ["repo", "type", "sort"]

/**
 * @param call the user who searches is `@me`.
 * @param values the words that fit, by their qualifier. `is` names a state or a kind.
 * @throws {Error} for a qualifier that is not known.
 */
export function fits(
  { login }: Call,
  query: unknown,
  values: Readonly<Record<string, readonly string[]>>,
): boolean {
  return [...String(query).matchAll(QUALIFIER)].every(([, name = "", quoted = ""]) => {
    const value = quoted.replace(/^"|"$/g, "").replace(/^@me$/, login)
    if (ALWAYS_SO.includes(name)) return true
    if (name === "is" && ["pr", "issue"].includes(value)) return true
    const fitting = values[name === "is" ? "state" : name]
    if (!fitting) throw new Error(`the double does not know ${name}:${value}`)
    return fitting.includes(value)
  })
}
