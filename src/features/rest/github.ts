/**
 * Sends requests to GitHub's REST API, for sources and forges.
 *
 * Redirects are followed within the API alone: it redirects requests about a renamed repository.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
import { request } from "@octokit/request"
import { type ApiOptions, RestClient } from "./client.ts"
import type { ApiRequest, ApiResponse } from "./exchange-json.ts"
import { AnswerError, fetchBounded } from "./fetch-bounded.ts"

export function gitHubClient(options: ApiOptions): RestClient {
  return new RestClient({
    ...options,
    authorize: (token) => ({ authorization: `token ${token}` }),
    exchange,
  })
}

type Response = Pick<ApiResponse, "status" | "data"> & {
  readonly headers: Readonly<Record<string, unknown>>
}

/** An error of the library. It also has the request, which holds the token, so it goes no further. */
type Failed = { readonly response?: Response; readonly cause?: unknown; readonly name?: string }

const silent = () => {}
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

async function exchange({ api, route, params, headers, signal }: ApiRequest): Promise<ApiResponse> {
  const library = { fetch: fetchWithin, signal, log: SILENT }
  try {
    return toApiResponse(
      await request(route, { ...params, baseUrl: api, headers, request: library }),
    )
  } catch (error) {
    const { response, cause, name } = error as Failed
    if (response) return toApiResponse(response)
    throw cause ?? Object.assign(new Error("no answer"), { name })
  }
}

const toApiResponse = ({ status, headers, data }: Response): ApiResponse => {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return { status, headers: new Headers(entries as [string, string][]), data }
}

const REDIRECTS = [301, 302, 307, 308]
/** More is a loop: a renamed repository needs one. */
const REDIRECTS_MAX = 3

/** Repeats the same request where the API redirects to itself. */
async function fetchWithin(url: string, init: RequestInit): Promise<globalThis.Response> {
  let at = new URL(url)
  for (let n = 0; n <= REDIRECTS_MAX; n++) {
    const response = await fetchBounded(at.href, init)
    const place = response.headers.get("location")
    if (!REDIRECTS.includes(response.status) || place === null) return response
    const next = new URL(place, at)
    if (next.origin !== at.origin) throw new AnswerError("it redirects to another address")
    at = next
  }
  throw new AnswerError(`it redirects more than ${REDIRECTS_MAX} times`)
}
