/** Sends one request to an API that speaks JSON, as plain JSON. */
import { fetchBounded } from "./fetch-bounded.ts"

export type ApiRequest = {
  readonly api: string
  readonly route: string
  /** A parameter that `route` does not name goes into the query or the body. */
  readonly params: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export type ApiResponse = {
  readonly status: number
  readonly headers: Headers
  readonly data: unknown
}

/** A mistake in the route is thrown at once: it is no failure of the host. */
export function exchangeJson(request: ApiRequest): Promise<ApiResponse> {
  return fetchJson(request, buildRequest(request))
}

async function fetchJson(
  request: ApiRequest,
  { method, url, body }: ReturnType<typeof buildRequest>,
): Promise<ApiResponse> {
  const response = await fetchBounded(url, {
    method,
    headers: {
      accept: "application/json",
      "user-agent": "coppice",
      ...request.headers,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
    signal: request.signal,
  })
  const { status, headers } = response
  return { status, headers, data: parse(await response.text()) }
}

function buildRequest({ api, route, params }: ApiRequest) {
  const [method = "GET", path = ""] = route.split(" ", 2)
  const rest = { ...params }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return pathSegment(params[name])
  })
  const url = api.replace(/\/+$/, "") + filled
  if (method !== "GET" && method !== "DELETE") return { method, url, body: JSON.stringify(rest) }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) query.set(name, String(value))
  return { method, url: query.size > 0 ? `${url}?${query}` : url, body: undefined }
}

/** One part of a path. Dots alone would lead out of it. */
function pathSegment(value: unknown): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new Error("a part of an address is empty, or only dots")
  return encodeURIComponent(text)
}

/** A text that is not JSON comes from something else, such as a proxy. */
function parse(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return text
  }
}
