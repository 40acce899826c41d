/**
 * Fills `${VAR}` and `${VAR:-x}` into the values of a configuration.
 *
 * It works on values that YAML has read already, so a variable's content can never become
 * structure. Only these two forms are touched: `$VAR` and `${VAR%x}` are the shell's.
 */
import type { Problem } from "./problems.ts"

export type Env = Readonly<Record<string, string | undefined>>

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** @returns the value with every reference filled in; what is missing is added to `problems`. */
export function substitute(
  value: unknown,
  env: Env,
  problems: Problem[],
  path: readonly string[] = [],
): unknown {
  const inside = (child: unknown, step: string) => substitute(child, env, problems, [...path, step])
  if (typeof value === "string") return fill(value, env, problems, path)
  if (Array.isArray(value)) return value.map((child, at) => inside(child, String(at)))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inside(child, key)]))
}

function fill(text: string, env: Env, problems: Problem[], path: readonly string[]): string {
  return text.replace(REFERENCE, (reference: string, name: string, otherwise?: string) => {
    const found = env[name]
    if (found !== undefined && found !== "") return found
    if (otherwise !== undefined) return otherwise
    if (found !== undefined) return found
    const message = `${name} is not set in the environment: \${${name}:-x} takes x then, $${name} leaves it to the shell`
    problems.push({ path: path.join("."), message })
    return reference
  })
}
