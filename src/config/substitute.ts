/**
 * Replaces `${VAR}` and `${VAR:-x}` in the values of a configuration.
 *
 * It works on values after YAML has parsed them, so a variable's content can never become
 * structure. It replaces only these two forms, and leaves `$VAR` and `${VAR%x}` to the shell. It
 * does not touch shell commands, so that printing or recording one shows no variable's content.
 *
 * A person approves the names of the variables with the file (../trust.ts). Variables that hold the
 * credentials of models, proxies, forges and trackers are always refused.
 */

import { isSecret } from "../base/text/secrets.ts"
import { keyPattern, replaceReferences } from "./key-names.ts"
import type { Problem } from "./problems.ts"

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Returns the value with every reference replaced. Adds a problem for a missing variable, and for the
 * key `__proto__`, which an object would not keep. In a header, a missing variable is empty: a server
 * refuses the request then, and the rest of the file stays in force.
 *
 * @param path the keys that lead to the value.
 */
export function substitute(
  value: unknown,
  env: Env,
  problems: Problem[],
  path: readonly string[] = [],
): unknown {
  const refuse = (message: string) => void problems.push({ path: path.join("."), message })
  if (path.at(-1) === "__proto__") return refuse("is not a possible name")
  if (typeof value === "string") {
    if (isShellCommand(path)) return value
    return fill(value, { env, refuse, missing: isHeader(path) ? "" : undefined })
  }
  if (typeof value !== "object" || value === null) return value

  const inside = (child: unknown, step: string) => substitute(child, env, problems, [...path, step])
  if (Array.isArray(value)) return value.map((child, at) => inside(child, String(at)))
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inside(child, key)]))
}

/** Keys whose text `sh -c` runs; it fills in variables itself. */
const SHELL_COMMAND =
  /^(repos\.\*\.(gate|setup|check|teardown)|agents\.\*\.(command|hooks\.[a-z_]+\.\d+\.command))$/

const isShellCommand = (path: readonly string[]) => SHELL_COMMAND.test(keyPattern(path))

/** Headers of hooks and notifications. */
const HEADER = /^(agents\.\*\.hooks\.[a-z_]+\.\d+|notify\.\*)\.headers\.[^.]+$/

const isHeader = (path: readonly string[]) => HEADER.test(keyPattern(path))

type Filling = {
  readonly env: Env
  readonly refuse: (message: string) => void
  /** The content of a missing variable; undefined: it is a problem. */
  readonly missing: string | undefined
}

function fill(text: string, { env, refuse, missing }: Filling): string {
  return replaceReferences(text, (reference, name, otherwise) => {
    if (isSecret(name)) {
      refuse(
        `${name} may not be read here: it holds a credential. Agents get their credentials without it`,
      )
      return reference
    }
    const found = Object.hasOwn(env, name) ? env[name] : undefined
    if (found !== undefined && found !== "") return found
    if (otherwise !== undefined) return otherwise
    if (found !== undefined) return found
    if (missing !== undefined) return missing
    refuse(
      `${name} is not set in the environment. Write \${${name}:-x} to fall back to x, or $${name} to leave it to the shell`,
    )
    return reference
  })
}
