/** The token for a tracker, kept for a while. */
import { SourceError } from "../../sources/errors.ts"
import { findHostToken, type HostLogin } from "../host-token.ts"

/** A new login with `gh` or `glab` is noticed after this time. */
const KEPT_MS = 5 * 60_000
const PROGRAMS = { github: "gh", gitlab: "glab", gitea: undefined }

/** The function that it returns throws a {@link SourceError} if there is no token. */
export function findToken(
  login: HostLogin,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number,
): () => Promise<string> {
  let kept: { readonly token: string; readonly untilMs: number } | undefined
  return async () => {
    if (kept && kept.untilMs > nowMs()) return kept.token
    const found = await findHostToken(login, env)
    if ("missing" in found) {
      const program = PROGRAMS[login.type]
      const other = program === undefined ? "" : `, or run \`${program} auth login\``
      throw new SourceError(
        "source.refused",
        `There is no token for the source: ${found.missing}. Set \`token_variable\` of the source${other}. The daemon knows the variables of the shell that started it.`,
      )
    }
    kept = { token: found.token, untilMs: nowMs() + KEPT_MS }
    return found.token
  }
}
