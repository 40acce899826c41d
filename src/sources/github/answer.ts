/**
 * Tells the answers of GitHub from failures of the source.
 *
 * An answer about one thing (it is gone, it is forbidden) is returned. A failure of the whole source is
 * thrown, with the time of the next try where GitHub names one.
 */
import type { GitHubReply } from "../../github/client.ts"
import { SourceError } from "../errors.ts"

export type Answer<Data = unknown> =
  | { readonly kind: "ok"; readonly data: Data; readonly hasNext: boolean; readonly isNew: boolean }
  /** It does not exist, or no longer. */
  | { readonly kind: "gone" }
  | { readonly kind: "forbidden"; readonly why: string }

const GONE: ReadonlySet<number> = new Set([404, 410])
const FORBIDDEN: ReadonlySet<number> = new Set([403, 422])

/** @param api URL of the API. @throws {SourceError} */
export function answerOf(reply: GitHubReply, api: string): Answer {
  if (reply.kind === "ok") return reply
  if (reply.kind === "away")
    throw new SourceError("source.unreachable", `${api} cannot be used now: it ${reply.why}.`)
  if (reply.kind === "limited")
    throw new SourceError("source.limited", `${api} wants fewer requests.`, reply.untilMs)
  if (reply.kind === "no_login")
    throw new SourceError("source.refused", `There is no token for ${api}.`)
  const { status, words } = reply
  if (GONE.has(status)) return { kind: "gone" }
  if (FORBIDDEN.has(status)) return { kind: "forbidden", why: words || `status ${status}` }
  if (status === 401) throw new SourceError("source.refused", `${api} refuses the token: ${words}.`)
  throw new SourceError("source.refused", `${api} answers with ${status}: ${words}.`)
}
