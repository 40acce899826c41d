/** `git config`: what the user has set. Ours overrule some of it; see environment.ts. */
import { git } from "../exec.ts"
import { splitZ } from "../path.ts"

export type Setting = { readonly key: string; readonly value: string }

/**
 * All settings whose key matches, weakest first: of several with one key, the last one counts.
 *
 * @param regexp extended regular expression; sections and names of keys are in lower case.
 * @param env where to look, if not in the repository of `cwd`.
 * @returns values with one char per raw byte; a key that stands alone has the value `true`.
 */
export async function listConfig(
  cwd: string,
  regexp: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Setting[]> {
  const args = ["config", "--null", "--get-regexp", regexp]
  const { stdout } = await git(cwd, args, { answers: [0, 1], env })
  return splitZ(stdout).map((entry) => {
    const end = entry.indexOf("\n")
    return end < 0
      ? { key: entry, value: "true" }
      : { key: entry.slice(0, end), value: entry.slice(end + 1) }
  })
}

/** Whether a boolean setting of several that {@link listConfig} listed is on; undefined: nobody says. */
export function isOn(config: readonly Setting[], key: string): boolean | undefined {
  const value = config.findLast((entry) => entry.key === key)?.value
  return value === undefined ? undefined : /^(true|yes|on|[1-9]\d*)$/i.test(value)
}

/** Whether a boolean setting is on. */
export async function isSet(cwd: string, key: string): Promise<boolean> {
  const args = ["config", "--null", "--type=bool", "--get", key]
  return (await git(cwd, args, { answers: [0, 1] })).stdout === "true\0"
}

/** A regular expression that matches just this text. */
export function escapeRegexp(text: string): string {
  return text.replace(/[[\]\\.^$*+?(){}|]/g, "\\$&")
}
