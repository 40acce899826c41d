/** `git config --list`: what is set, as git sees it. It is read once and kept: see config-cache.ts. */
import { readConfigAt } from "../exec.ts"

export type Setting = { readonly key: string; readonly value: string }

/**
 * All settings whose key matches, weakest first: of several with one key, the last one counts.
 *
 * @param regexp for keys; their sections and names are in lower case.
 * @param env where to look, if not in the repository of `cwd`.
 * @returns values with one char per raw byte; a key that stands alone has the value `true`.
 */
export async function listConfig(
  cwd: string,
  regexp: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Setting[]> {
  const wanted = new RegExp(Buffer.from(regexp, "utf8").toString("latin1"), "s")
  const config = await readConfigAt(cwd, env)
  return config.flatMap(({ key, value }) => (wanted.test(key) ? { key, value } : []))
}

/** Whether a boolean setting of several that {@link listConfig} listed is on; undefined: not set. */
export function isOn(config: readonly Setting[], key: string): boolean | undefined {
  const value = config.findLast((entry) => entry.key === key)?.value
  return value === undefined ? undefined : /^(true|yes|on|[1-9]\d*)$/i.test(value)
}

/** Whether a boolean setting is on. */
export async function isSet(cwd: string, key: string): Promise<boolean> {
  const name = key.toLowerCase()
  return isOn(await listConfig(cwd, `^${escapeRegexp(name)}$`), name) ?? false
}

/** A regular expression that matches just this text. */
export function escapeRegexp(text: string): string {
  return text.replace(/[[\]\\.^$*+?(){}|]/g, "\\$&")
}
