/** Which variables of the environment hold credentials, by their names. Pure. */

/** Settings and keys of model providers: for the agent alone. */
const OF_MODELS =
  /^((ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|OPENCODE)_.+|GOOGLE_(API_KEY|GENAI_.+|GEMINI_.+))$/

/** Variables of an outer agent session; our agents are not inside it. */
const OUTER_SESSION = /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_.+|CHILD_.+|EXECPATH)$/

export const isOuterSession = (name: string): boolean => OUTER_SESSION.test(name)

/** Credentials of a cloud, which an agent needs only where its model runs there. */
const CLOUDS = [
  { chosenBy: "CLAUDE_CODE_USE_BEDROCK", names: /^AWS_.+$/ },
  {
    chosenBy: "CLAUDE_CODE_USE_VERTEX",
    names: /^(GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_PROJECT|CLOUD_ML_REGION)$/,
  },
]

/** Tokens of forges, trackers and chats; proxies, whose address may hold a password. */
const OF_FORGES =
  /^((GITHUB|GH|GITLAB|GL|LINEAR|JIRA|SLACK|DISCORD|BITBUCKET|CODEBERG|FORGEJO|GITEA|AZURE_DEVOPS|CI_JOB)_.*(TOKEN|PAT|KEY|PASSWORD|SECRET).*|.*_PROXY)$/i

/** Variables that hold the API key for a collector of traces. */
const OF_COLLECTORS = /^OTEL_EXPORTER_OTLP_(.+_)?HEADERS$/

/** @param env where a cloud may have been chosen. */
export function isModelVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return (
    OF_MODELS.test(name) || CLOUDS.some(({ chosenBy, names }) => env[chosenBy] && names.test(name))
  )
}

/** Whether no coppice.yml may read it. */
export const isSecret = (name: string): boolean =>
  OF_MODELS.test(name) ||
  OF_FORGES.test(name) ||
  OF_COLLECTORS.test(name) ||
  CLOUDS.some(({ names }) => names.test(name))
