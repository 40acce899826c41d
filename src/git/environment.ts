/**
 * The environment that git runs in: what it takes from ours, and the settings that we overrule.
 *
 * Settings go by GIT_CONFIG_COUNT rather than `-c`, so that they reach git's own children too.
 * Overruled is only what could run a program, rewrite content behind our back, or change the
 * answers that we parse. How the user's files are checked out and filtered stays as they set it.
 */

/** What of the caller's GIT_* variables survives: where the configuration lies, how to connect. */
const INHERITED =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|PROXY_.*)$/

const SETTINGS: Readonly<Record<string, string>> = {
  "core.checkStat": "default",
  "core.hooksPath": "/dev/null",
  "core.ignoreStat": "false",
  "core.fsmonitor": "false",
  "core.quotePath": "false",
  "core.safecrlf": "false",
  "core.trustctime": "true",
  "commit.gpgSign": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "merge.default": "text",
  "merge.directoryRenames": "conflict",
  "merge.renames": "true",
  "merge.renormalize": "false",
  "submodule.recurse": "false",
}

/**
 * @param settings configuration on top of ours, by key.
 * @returns a whole environment: C locale, no prompts, no optional locks, no inherited GIT_DIR.
 */
export function gitEnvironment(
  parent: NodeJS.ProcessEnv,
  settings: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const inherited = Object.entries(parent).filter(
    ([name]) => !name.startsWith("GIT_") || INHERITED.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // An agent can write refs/replace and grafts: what is tested must be what is published, and
    // what counts as contained elsewhere must be so.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    ...settingVariables({ ...SETTINGS, ...settings }),
  }
}

function settingVariables(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings)
  const variables = entries.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(variables) }
}
