/**
 * The client of the page: the routes of the daemon as methods, over `fetch`.
 *
 * The key of the session is in the storage of this origin, and the cookie is the browser's. A request
 * that takes long is followed to its answer, as every client does it.
 */
import type { Calls } from "../../src/client/client.ts"
import type { ErrorDocument } from "../../src/core/errors.ts"
import {
  addressOf,
  type FollowedName,
  ROUTES,
  type Route,
  type RouteName,
} from "../../src/core/wire/routes.ts"
import { SESSION_HEADER, SOCKET_KEY, SOCKET_PROTOCOL } from "../../src/core/wire/session.ts"

const KEY = "coppice-key"
const ACCEPTED = 202
const UNAUTHORIZED = 401

/** The daemon refused a request, and says why; or it does not answer. */
export class RequestError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const LOGGED_OUT = "request.unauthorized"
const UNREACHABLE = "daemon.unreachable"

const methods = Object.keys(ROUTES).map((name) => [name, methodOf(ROUTES[name as RouteName])])

/** One method for each route that has one answer. */
export const api: Omit<Calls, FollowedName> = Object.fromEntries(methods)

type Given = readonly (string | Readonly<Record<string, unknown>> | undefined)[]

function methodOf({ at }: Route) {
  return (...given: Given): unknown => {
    const [ref, asked = {}] = (at.includes(":") ? given : ["", ...given]) as [string, object?]
    const { method, path } = addressOf(at, ref)
    if (method === "POST") return send(path, asked)
    const query = new URLSearchParams(asked as Record<string, string>).toString()
    return send(query ? `${path}?${query}` : path)
  }
}

/** @param body makes it a POST. @throws {RequestError} */
async function send(path: string, body?: object): Promise<unknown> {
  let { status, document } = await exchange(path, body)
  while (status === ACCEPTED && (document as { operation?: string }).operation) {
    const { operation = "" } = document as { operation?: string }
    const next = await exchange(addressOf(ROUTES.operation.at, operation).path)
    status = next.status
    document = next.document
  }
  return document
}

async function exchange(path: string, body?: object) {
  const headers = {
    [SESSION_HEADER]: localStorage.getItem(KEY) ?? "",
    ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
  }
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {}
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw new RequestError(UNREACHABLE, "The daemon does not answer.")
  })
  const document: unknown = await response.json().catch(() => ({}))
  if (response.ok) return { status: response.status, document }
  const { error } = document as Partial<ErrorDocument>
  if (response.status === UNAUTHORIZED) throw new RequestError(LOGGED_OUT, error?.message ?? "")
  const words = error ? [error.message, ...error.hints] : ["The daemon could not answer."]
  throw new RequestError(error?.code ?? "bug", words.join(" "))
}

/** Uses the code of a login link. @throws {RequestError} */
export async function logIn(code: string): Promise<void> {
  const { key } = (await send("/session", { code })) as { key: string }
  localStorage.setItem(KEY, key)
}

export async function logOut(): Promise<void> {
  await send("/session/end", {}).catch(() => {})
  localStorage.removeItem(KEY)
}

/** A WebSocket to one of the routes that are followed. */
export function openSocket(name: FollowedName, ref: string, after: number): WebSocket {
  const url = new URL(`${addressOf(ROUTES[name].at, ref).path}?after=${after}`, location.href)
  url.protocol = url.protocol.replace("http", "ws")
  const key = localStorage.getItem(KEY) ?? ""
  return new WebSocket(url, [SOCKET_PROTOCOL, `${SOCKET_KEY}${key}`])
}
