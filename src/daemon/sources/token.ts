/** The token for a tracker, kept for a while. */
import type { SourceConfig } from "../../core/config.ts"
import { SourceError } from "../../sources/errors.ts"
import { findHostToken } from "../host-token.ts"

/** A new login with `gh` is noticed after this time. */
const KEPT_MS = 5 * 60_000
const HELP =
  "Set `token_variable` of the source, or run `gh auth login`. The daemon knows the variables of the shell that started it."

/** The function that it returns throws a {@link SourceError} if there is no token. */
export function findToken(
  {
    apiUrl: api = "https://api.github.com",
    tokenVariable: variable,
  }: Pick<SourceConfig, "apiUrl" | "tokenVariable">,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number,
): () => Promise<string> {
  let kept: { readonly token: string; readonly untilMs: number } | undefined
  return async () => {
    if (kept && kept.untilMs > nowMs()) return kept.token
    const found = await findHostToken({ type: "github", api, variable }, env)
    if ("missing" in found)
      throw new SourceError(
        "source.refused",
        `There is no token for the source: ${found.missing}. ${HELP}`,
      )
    kept = { token: found.token, untilMs: nowMs() + KEPT_MS }
    return found.token
  }
}
