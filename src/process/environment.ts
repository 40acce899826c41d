/**
 * The environment of agents, set-ups and gates: what they need and nothing else.
 *
 * A list of what passes, not of what does not: a token of a forge or a tracker that somebody
 * exported in the shell that started us is not on it.
 */

type Environment = Readonly<Record<string, string | undefined>>

// biome-ignore format: one group a line
const PASSED = [
  /^(PATH|HOME|LANG|LANGUAGE|LC_.+|TERM|COLORTERM|TZ|TMPDIR|USER|LOGNAME|SHELL|XDG_.+_(HOME|DIR))$/,
  /^(HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|all_proxy)$/,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO)$/,
  /^(ANTHROPIC|CLAUDE|OPENAI|CODEX)_.+$/,
]

/** Credentials of a cloud, which an agent needs only where its model runs there. */
const CLOUDS = [
  { chosenBy: "CLAUDE_CODE_USE_BEDROCK", passed: /^AWS_.+$/ },
  {
    chosenBy: "CLAUDE_CODE_USE_VERTEX",
    passed: /^(GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_PROJECT|CLOUD_ML_REGION)$/,
  },
]

/** What an outer agent session says about itself; an agent of ours is not inside of it. */
const OUTER_SESSION = /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_.+|CHILD_.+|EXECPATH)$/

/** The part of `parent` that agents may see, and `extra` over it. */
export function agentEnvironment(
  parent: Environment,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const clouds = CLOUDS.filter(({ chosenBy }) => parent[chosenBy] ?? extra[chosenBy])
  const patterns = [...PASSED, ...clouds.map((cloud) => cloud.passed)]
  const passed = Object.entries(parent).filter(
    ([name, value]) =>
      value !== undefined &&
      patterns.some((pattern) => pattern.test(name)) &&
      !OUTER_SESSION.test(name),
  ) as [string, string][]
  return { ...Object.fromEntries(passed), ...extra }
}
