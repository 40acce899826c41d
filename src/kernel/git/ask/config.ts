/** `git config --list`: the settings that git sees. They are cached: see config-cache.ts. */
import { isTrue } from "../start/config-cache.ts"
import { readConfigAt } from "../start/exec.ts"

export type Setting = { readonly key: string; readonly value: string }

/**
 * All settings whose key matches, weakest first: the last value of a key counts.
 *
 * @param regexp for keys; their sections and names are in lower case.
 * @param env variables that name another repository than that of `cwd`.
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

/** All settings of the repository's own configuration, as {@link listConfig} has them; none where git cannot work. */
export async function listOwnConfig(cwd: string): Promise<Setting[]> {
  const config = await readConfigAt(cwd)
  return config.filter(({ scope }) => scope === "local" || scope === "worktree")
}

/** Whether a boolean setting from {@link listConfig} is on; undefined if not set. */
export function isOn(config: readonly Setting[], key: string): boolean | undefined {
  const value = config.findLast((entry) => entry.key === key)?.value
  return value === undefined ? undefined : isTrue(value)
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
