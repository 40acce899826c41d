/**
 * The environment of each git that we start, whatever the repository's configuration says.
 *
 * Only listed variables pass, so no token of the daemon reaches git. Settings go by
 * GIT_CONFIG_COUNT rather than `-c`, so that they reach git's own children too. They override
 * settings that change the output that we parse, or that run a program under a fixed name. Programs
 * under free names (filters, drivers) are overridden per repository: see programs.ts.
 */

// biome-ignore format: one group a line
const PASSED = [
  /^(PATH|HOME|TMPDIR|TZ|USER|LOGNAME|SHELL|LANG|XDG_.+_(HOME|DIRS?))$/,
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|PROXY_.*)$/,
  // For remotes: agents for keys and passwords, proxies, certificates.
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_SESSION_BUS_ADDRESS|KRB5.*)$/,
  /^(HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|all_proxy)$/,
  /^(SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE)$/,
]

/** @see https://git-scm.com/docs/githooks */
const HOOK_EVENTS = [
  ...["applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout"],
  ...["post-commit", "post-index-change", "post-merge", "post-receive", "post-rewrite"],
  ...["post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push"],
  ...["pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout"],
  ...["reference-transaction", "update"],
]

export const SETTINGS: Readonly<Record<string, string>> = {
  "core.checkStat": "default",
  "core.commitGraph": "false", // an agent can write one, and so forge ancestry
  "core.hooksPath": "/dev/null",
  "core.ignoreStat": "false",
  "core.fsmonitor": "false",
  "core.quotePath": "false",
  "core.safecrlf": "false",
  "core.trustctime": "true",
  "commit.gpgSign": "false",
  "gc.auto": "0",
  "log.showSignature": "false",
  "maintenance.auto": "false",
  "merge.default": "text",
  "merge.directoryRenames": "conflict",
  "merge.renames": "true",
  "merge.renormalize": "false",
  // Any other name stands for a program: git completes it to `git remote-<name>`. See programs.ts.
  "protocol.allow": "never",
  "protocol.ext.allow": "never",
  "protocol.fd.allow": "never",
  "protocol.file.allow": "user",
  "protocol.git.allow": "always",
  "protocol.http.allow": "always",
  "protocol.https.allow": "always",
  "protocol.ssh.allow": "always",
  "safe.bareRepository": "explicit", // a bare repository among the files of a clone is data
  "submodule.recurse": "false",
  // core.hooksPath does not switch off the hooks that git 2.54 and later find in the configuration.
  ...Object.fromEntries(HOOK_EVENTS.map((event) => [`hook.${event}.enabled`, "false"])),
}

/** No terminal to ask on, and no editor or pager to wait for. */
const NON_INTERACTIVE = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
}

/** A setting that overrides every file. Several values of one key all count, in order. */
export type Override = readonly [key: string, value: string]

/**
 * The environment of each git that we start: C locale, no prompts, no optional locks, no inherited
 * GIT_DIR.
 */
export function baseEnvironment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(parent).filter(([name]) => PASSED.some((one) => one.test(name)))
  return {
    ...Object.fromEntries(passed),
    LC_ALL: "C",
    ...NON_INTERACTIVE,
    // An agent can write refs/replace and grafts, and so make git test another tree or forge
    // ancestry.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_NO_LAZY_FETCH: "1", // a missing object is an error, not a program of the repository's choice
    GIT_OPTIONAL_LOCKS: "0",
    ...SETTING_VARIABLES,
  }
}

const SETTING_VARIABLES = settingVariables(Object.entries(SETTINGS))

/** Variables for settings on top of those of {@link baseEnvironment}. */
export function overrideVariables(overrides: readonly Override[]): Record<string, string> {
  return settingVariables(overrides, Object.keys(SETTINGS).length)
}

/** Variables for settings alone. @param first the number of the first setting. */
export function settingVariables(
  overrides: readonly Override[],
  first = 0,
): Record<string, string> {
  const variables = overrides.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${first + n}`, key],
    [`GIT_CONFIG_VALUE_${first + n}`, value],
  ])
  const count = { GIT_CONFIG_COUNT: String(first + overrides.length) }
  return { ...count, ...Object.fromEntries(variables) }
}

/** The environment for an index other than the worktree's own. @param indexFile absolute. */
export function indexEnv(indexFile: string | undefined): Record<string, string> {
  return indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }
}
