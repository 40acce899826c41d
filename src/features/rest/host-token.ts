/**
 * Finds a login for a host: in the variable that coppice.yml names, in the usual ones, or with the host's
 * own program.
 *
 * A token goes only to the host, and the port, that it belongs to. It is never logged, and no agent gets it:
 * kernel/process/environment.ts keeps back the variables with such names.
 */
import { askProgram } from "../../api/client/ask-program.ts"
import { isToken } from "./client.ts"

type Environment = Readonly<Record<string, string | undefined>>

type HostType = "github" | "gitlab" | "gitea" | "linear" | "jira" | "slack" | "discord"

export type HostLogin = {
  readonly type: HostType
  /** URL of the API. */
  readonly api: string
  /** As coppice.yml names it. */
  readonly variable: string | undefined
}

/** How the tokens of one kind of host are found. */
type TokenFinder = {
  /** The usual variables whose token belongs to this host. */
  variables(host: string, env: Environment): readonly string[]
  /** The host's own program, if it has one. */
  readonly program?: {
    /** Prints the token for a host. */
    command(host: string): readonly string[]
    /** The variable that tells the program where its configuration is. */
    readonly variable: string
  }
}

const FINDERS: Readonly<Record<HostType, TokenFinder>> = {
  github: {
    variables: (host, { GH_HOST: enterprise }) => {
      if (host === "github.com") return ["GH_TOKEN", "GITHUB_TOKEN"]
      return host === hostOf(enterprise ?? "")
        ? ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
        : []
    },
    program: {
      command: (host) => ["gh", "auth", "token", "--hostname", host],
      variable: "GH_CONFIG_DIR",
    },
  },
  gitlab: {
    variables: (host, { GITLAB_HOST: own }) =>
      host === hostOf(own || "gitlab.com") ? ["GITLAB_TOKEN"] : [],
    program: {
      command: (host) => ["glab", "config", "get", "token", "--host", host],
      variable: "GLAB_CONFIG_DIR",
    },
  },
  gitea: {
    variables: (host, { GITEA_HOST: gitea, FORGEJO_HOST: forgejo }) => [
      ...(host === hostOf(gitea || "gitea.com") ? ["GITEA_TOKEN"] : []),
      ...(host === hostOf(forgejo || "codeberg.org") ? ["FORGEJO_TOKEN"] : []),
    ],
  },
  linear: { variables: (host) => (host === "api.linear.app" ? ["LINEAR_API_KEY"] : []) },
  slack: { variables: (host) => (host === "slack.com" ? ["SLACK_BOT_TOKEN"] : []) },
  discord: { variables: (host) => (host === "discord.com" ? ["DISCORD_BOT_TOKEN"] : []) },
  jira: { variables: (host) => (ATLASSIAN.test(host) ? ["JIRA_API_TOKEN"] : []) },
}

/** Atlassian's own hosts: it alone can give out a name of them. */
const ATLASSIAN = /^([a-z0-9-]+\.atlassian\.net|api\.atlassian\.com)$/

/** All that such a program needs to run, and the keyring that may hold its token. */
const OF_PROGRAMS = [
  ...["PATH", "HOME", "XDG_CONFIG_HOME"],
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"],
]

/** With its port, unless that is the usual one. @param address a URL, or a host alone. */
function hostOf(address: string): string {
  const url = address.includes("://") ? address : `https://${address}`
  return URL.canParse(url) ? new URL(url).host : ""
}

/** @returns a token, or the reason there is none. The reason never contains part of a token. */
export async function findHostToken(
  login: HostLogin,
  env: Environment,
): Promise<{ readonly token: string } | { readonly missing: string }> {
  const found = await findText(login, env)
  if ("missing" in found) return found
  const token = found.token.trim()
  return isToken(token) ? { token } : { missing: "it has characters that no token has" }
}

async function findText({ type, api, variable }: HostLogin, env: Environment) {
  if (variable !== undefined) {
    const token = env[variable]
    return token ? { token } : { missing: `${variable} is empty` }
  }
  const { variables, program } = FINDERS[type]
  const named = hostOf(api)
  const host = named === "api.github.com" ? "github.com" : named
  for (const name of variables(host, env)) {
    const token = env[name]
    if (token) return { token }
  }
  if (!program) return { missing: `no variable has one for ${host}` }
  const names = [...OF_PROGRAMS, program.variable]
  const own = Object.fromEntries(names.map((name) => [name, env[name]]))
  const asked = program.command(host)
  const answer = await askProgram(asked, own)
  if ("said" in answer && answer.said !== "") return { token: answer.said }
  return { missing: `no variable has one, and \`${asked.join(" ")}\` prints none` }
}
