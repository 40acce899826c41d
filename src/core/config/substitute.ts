/**
 * Fills `${VAR}` and `${VAR:-x}` into the values of a configuration.
 *
 * It works on values that YAML has read already, so a variable's content can never become
 * structure. Only these two forms are touched: `$VAR` and `${VAR%x}` are the shell's.
 */
import type { Problem } from "./problems.ts"

export type Env = Readonly<Record<string, string | undefined>>

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g
/** Where a value stands: the keys that lead to it, and the values around it. */
type Place = { readonly path: readonly string[]; readonly around: readonly object[] }
const TOP: Place = { path: [], around: [] }

/**
 * The value with every reference filled in. What is missing is added to `problems`, and so is what
 * no checked value may hold: a part that holds itself, and a key that objects do not keep.
 */
export function substitute(
  value: unknown,
  env: Env,
  problems: Problem[],
  { path, around }: Place = TOP,
): unknown {
  const refuse = (message: string) => void problems.push({ path: path.join("."), message })
  if (path.at(-1) === "__proto__") return refuse("is not a possible name")
  if (typeof value === "string") return fill(value, env, refuse)
  if (typeof value !== "object" || value === null) return value
  if (around.includes(value)) return refuse("holds itself, by an alias")

  const inside = (child: unknown, step: string) =>
    substitute(child, env, problems, { path: [...path, step], around: [...around, value] })
  if (Array.isArray(value)) return value.map((child, at) => inside(child, String(at)))
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inside(child, key)]))
}

function fill(text: string, env: Env, refuse: (message: string) => void): string {
  return text.replace(REFERENCE, (reference: string, name: string, otherwise?: string) => {
    const found = Object.hasOwn(env, name) ? env[name] : undefined
    if (found !== undefined && found !== "") return found
    if (otherwise !== undefined) return otherwise
    if (found !== undefined) return found
    refuse(
      `${name} is not set in the environment: \${${name}:-x} takes x then, $${name} leaves it to the shell`,
    )
    return reference
  })
}
