/**
 * The environment of agents, set-ups and gates: what they need and nothing else.
 *
 * This is a list of what passes, so a forge or tracker token in the shell that started us does not.
 * The variables of model providers, with their keys, pass only to the agent: set-up, check, gate
 * and teardown run code that anyone may have written.
 */
import { existsSync } from "node:fs"
import { isModelVariable, isOuterSession } from "../../base/text/secrets.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Where a tool or its packages stand, if it is not in HOME: without it the tool does not start. */
const TOOL_FOLDER =
  /^((CARGO|RUSTUP|JAVA|GRADLE_USER|MIX|HEX|COMPOSER|PNPM|VOLTA|GEM|POETRY)_HOME|(PYENV|RBENV|DOTNET)_ROOT|GOPATH|GOROOT|GEM_PATH|NVM_DIR)$/

// biome-ignore format: one group a line
const PASSED = [
  TOOL_FOLDER,
  /^(PATH|HOME|LANG|LANGUAGE|LC_.+|TERM|COLORTERM|TZ|TMPDIR|USER|LOGNAME|SHELL|XDG_.+_(HOME|DIR))$/,
  /^(HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|all_proxy)$/,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO)$/,
]

/**
 * The variables of `parent` that set-up, check, gate and teardown may see, overridden by `extra`.
 */
export function commandEnvironment(
  parent: Environment,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const models = modelEnvironment(parent, extra)
  const { TMPDIR } = parent
  // The folder of the shell that started the daemon may be gone; without the variable, /tmp serves.
  const isGone = TMPDIR !== undefined && !existsSync(TMPDIR)
  const passed = isGone ? { ...parent, TMPDIR: undefined } : parent
  return pick({ ...passed, ...extra }, (name) =>
    name in extra ? !(name in models) : PASSED.some((pattern) => pattern.test(name)),
  )
}

/** The same for the agent, which also gets its model's settings and keys. */
export function agentEnvironment(
  parent: Environment,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...commandEnvironment(parent, extra), ...modelEnvironment(parent, extra) }
}

function modelEnvironment(
  parent: Environment,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = { ...parent, ...extra }
  return pick(all, (name) => isModelVariable(name, all) && (name in extra || !isOuterSession(name)))
}

function pick(all: Environment, wanted: (name: string) => boolean): Record<string, string> {
  const found = Object.entries(all).filter(([name, value]) => value !== undefined && wanted(name))
  return Object.fromEntries(found) as Record<string, string>
}
