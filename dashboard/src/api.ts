/**
 * The client of the page: the routes of the daemon as methods, over `fetch`.
 *
 * The key of the session is in the storage of this origin, and the cookie is the browser's. A request
 * that takes long is followed to its answer, as every client does it. The page of another home, at
 * `/homes/<id>/`, asks below that path; the login is the one of this address.
 */
import type { Calls } from "../../src/api/client/client.ts"
import {
  type Answer,
  type Arguments,
  addressOf,
  type FollowedName,
  ROUTES,
  type Route,
  type RouteName,
} from "../../src/api/wire/routes.ts"
import { SESSION_HEADER, SOCKET_KEY, SOCKET_PROTOCOL } from "../../src/api/wire/session.ts"
import type { ErrorDocument } from "../../src/base/errors.ts"
import { BASE } from "./place.ts"
import { askForProof } from "./proof.ts"
import { LOGGED_OUT, NOT_LIVE, RequestError, UNREACHABLE } from "./request-error.ts"

const OF_ALL_HOMES: readonly RouteName[] = ["homes", "demo"]

const KEY = "coppice-key"
const LOGIN = "/session"
const ACCEPTED = 202
const UNAUTHORIZED = 401
/** Our daemon answers, and that of the home of this page does not. */
const AWAY = ["home.stopped", "home.silent"]
/** The daemon answers each request within 20 s, with 202 if need be. A person's files may take long to arrive. */
const READ_MS_MAX = 30_000

const methods = (Object.keys(ROUTES) as RouteName[]).map((name) => [
  name,
  methodOf(ROUTES[name], OF_ALL_HOMES.includes(name) ? "" : BASE),
])

/** Whether a terminal would open. */
type TerminalCall = (...given: Arguments<"terminal">) => Promise<Answer<"terminal">>

/** One method for each route that has one answer. */
export const api: Omit<Calls, FollowedName> & { readonly terminal: TerminalCall } =
  Object.fromEntries(methods)

type Given = readonly (string | Readonly<Record<string, unknown>> | undefined)[]

function methodOf({ at }: Route, base: string) {
  return (...given: Given): unknown => {
    const [ref, asked = {}] = (at.includes(":") ? given : ["", ...given]) as [string, object?]
    const { method, path } = addressOf(at, ref)
    if (method === "POST") return send(path, { body: asked, base })
    const query = new URLSearchParams(asked as Record<string, string>).toString()
    return send(query ? `${path}?${query}` : path, { base })
  }
}

/** @param body makes it a POST. @throws {RequestError} */
async function send(path: string, { body, base = "" }: { body?: object; base?: string } = {}) {
  let { status, document } = await exchange(`${base}${path}`, body)
  while (status === ACCEPTED && (document as { operation?: string }).operation) {
    const { operation = "" } = document as { operation?: string }
    const next = await exchange(`${base}${addressOf(ROUTES.operation.at, operation).path}`)
    status = next.status
    document = next.document
  }
  return document
}

/** Whether the program at our address has proved that it is our daemon. */
let isProven = false
let isReader = false

/** Whether this browser came by a read-only link. The daemon refuses its acts, so the page has no buttons. */
export const isReadOnly = (): boolean => isReader

/** Called when a connection has ended: another program may listen there by now. */
export function forgetProof(): void {
  isProven = false
}

/** @throws {RequestError} if it is another program, or does not answer. */
async function requireProof(): Promise<void> {
  if (isProven) return
  const answer = await askForProof(localStorage.getItem(KEY) ?? "").catch(() => null)
  if (answer === undefined) throw new RequestError(LOGGED_OUT, "")
  if (!answer) throw new RequestError(UNREACHABLE, NOT_LIVE)
  isReader = answer.readOnly
  isProven = true
}

async function exchange(path: string, body?: object) {
  if (path !== LOGIN) await requireProof()
  const headers = {
    [SESSION_HEADER]: localStorage.getItem(KEY) ?? "",
    ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
  }
  const init = body
    ? { method: "POST", body: JSON.stringify(body) }
    : { signal: AbortSignal.timeout(READ_MS_MAX) }
  const response = await fetch(path, { ...init, headers }).catch(() => {
    forgetProof()
    throw new RequestError(UNREACHABLE, NOT_LIVE)
  })
  const document: unknown = await response.json().catch(() => ({}))
  if (response.ok) return { status: response.status, document }
  const { error } = document as Partial<ErrorDocument>
  if (response.status === UNAUTHORIZED) throw new RequestError(LOGGED_OUT, error?.message ?? "")
  const words = error ? [error.message, ...error.hints] : ["The daemon could not answer."]
  const code = error && AWAY.includes(error.code) ? UNREACHABLE : error?.code
  throw new RequestError(code ?? "bug", words.join(" "))
}

/** Uses the code of a login link. @throws {RequestError} */
export async function logIn(code: string): Promise<void> {
  const { key } = (await send(LOGIN, { body: { code } })) as { key: string }
  localStorage.setItem(KEY, key)
}

/** Without the key no page of this browser gets in, whether the daemon answers or not. */
export async function logOut(): Promise<void> {
  await send("/session/end", { body: {} }).catch(() => {})
  localStorage.removeItem(KEY)
}

/** A WebSocket to a path of the home's daemon. It does not say why it was refused. @throws {RequestError} */
export async function openSocket(path: string): Promise<WebSocket> {
  await requireProof()
  const url = new URL(`${BASE}${path}`, location.href)
  url.protocol = url.protocol.replace("http", "ws")
  const key = localStorage.getItem(KEY) ?? ""
  return new WebSocket(url, [SOCKET_PROTOCOL, `${SOCKET_KEY}${key}`])
}
