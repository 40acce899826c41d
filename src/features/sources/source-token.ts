/** The token for a tracker or a chat, kept for a while. */
import { goesOn, type WallWait } from "../../base/wall-wait.ts"
import { findHostToken, type HostLogin } from "../rest/host-token.ts"
import { SourceError } from "./errors.ts"

/** A new login with `gh` or `glab` is noticed after this time. */
const KEPT_MS = 5 * 60_000
/** How a person gives Coppice a token for each public host. */
const HINTS = {
  github: "run `gh auth login`",
  gitlab: "run `glab auth login`",
  gitea: "set GITEA_TOKEN and GITEA_HOST, or FORGEJO_TOKEN and FORGEJO_HOST",
  linear: "set LINEAR_API_KEY, which is for api.linear.app",
  slack: "set SLACK_BOT_TOKEN, which is for slack.com",
  discord: "set DISCORD_BOT_TOKEN, which is for discord.com",
  jira: "set JIRA_API_TOKEN, which is for sites of atlassian.net",
}

/** The function that it returns throws a {@link SourceError} if there is no token. */
export function findToken(
  login: HostLogin & { readonly type: keyof typeof HINTS },
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number,
): () => Promise<string> {
  let kept: (WallWait & { readonly token: string }) | undefined
  return async () => {
    if (kept && goesOn(kept, nowMs())) return kept.token
    const found = await findHostToken(login, env)
    if ("missing" in found)
      throw new SourceError(
        "source.refused",
        `There is no token for the source: ${found.missing}. Set \`token_variable\` of the source, or ${HINTS[login.type]}. The daemon knows the variables of the shell that started it.`,
      )
    const fromMs = nowMs()
    kept = { token: found.token, fromMs, untilMs: fromMs + KEPT_MS }
    return found.token
  }
}
