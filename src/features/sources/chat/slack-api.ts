/**
 * Asks Slack's Web API, and tells its errors apart: most of them are answers with status 200.
 *
 * @see https://docs.slack.dev/apis/web-api/
 */
import { z } from "zod"
import { RestClient } from "../../rest/client.ts"
import { type ApiRequest, type ApiResponse, exchangeJson } from "../../rest/exchange-json.ts"
import { type ApiParts, TrackerApi } from "../trackers/api.ts"

export const slackApi = (api: string, parts: ApiParts): TrackerApi =>
  new TrackerApi((all) => new RestClient({ ...all, authorize, exchange }), { ...parts, api })

const authorize = (token: string) => ({ authorization: `Bearer ${token}` })

const Failed = z.object({ ok: z.literal(false), error: z.string(), needed: z.string().nullish() })

async function exchange(request: ApiRequest): Promise<ApiResponse> {
  const response = await exchangeJson(request)
  const failed = Failed.safeParse(response.data)
  if (response.status !== 200 || !failed.success) return response
  const { error, needed } = failed.data
  const message = needed ? `${error} (the token needs ${needed})` : error
  return { ...response, status: statusOf(error), data: { message } }
}

/**
 * The status that says the same. An error that is not named here is about one request. So is
 * `channel_not_found`: Slack says it to a bot that was removed for a while, and no message is gone.
 */
const STATUSES: readonly (readonly [status: number, errors: readonly string[]])[] = [
  [401, ["not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired"]],
  [404, ["thread_not_found", "message_not_found"]],
  [429, ["ratelimited", "rate_limited"]],
  [503, ["internal_error", "fatal_error", "service_unavailable", "request_timeout"]],
]

const statusOf = (error: string): number =>
  STATUSES.find(([, errors]) => errors.includes(error))?.[0] ?? 400
