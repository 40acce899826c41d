/** One request to the daemon: JSON in, JSON out. */
import { AppError, type ErrorDocument } from "../../base/errors.ts"
import { REQUEST_BYTES_MAX } from "../../base/input-bounds.ts"
import { type Answer, addressOf, ROUTES } from "../wire/routes.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonGoneError, RemoteError } from "./errors.ts"
import { exchangeRaw, type RawAnswer } from "./http-exchange.ts"
import { isStopped } from "./process-alive.ts"

/** The daemon answers within 2 s, or names an operation to follow; following answers within 20 s. */
const REQUEST_MS_MAX = 60_000

/** The part of a daemon's address that a request needs. */
type Reached = Pick<DaemonAddress, "address" | "token"> & Partial<Pick<DaemonAddress, "pid">>

export type HttpRequest = {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
  /** Equal for every repetition of one request, so that it runs once. */
  readonly key?: string
  /** Called once, when the daemon accepts a long request. */
  readonly onAccepted?: (() => void) | undefined
  /** Default: {@link REQUEST_MS_MAX}. */
  readonly waitMsMax?: number
}

/**
 * `unreachable`: no daemon of ours listens there; `ending`: it accepts no more requests. In both cases
 * the request was not carried out. `broken`: the connection was cut before the answer, and the request
 * may have been carried out.
 */
export type HttpAnswer =
  | { readonly kind: "answered"; readonly body: unknown }
  | { readonly kind: "unreachable" | "ending" | "broken" }

/** A request holds more than a daemon takes. */
class RequestTooLargeError extends AppError {
  constructor(bytes: number, bytesMax: number) {
    const message = `The request has ${bytes} bytes; the daemon takes ${bytesMax}.`
    super("request.too_large", "user", message, {
      hints: ["Put long material into a file, and name the file in the prompt."],
    })
  }
}

/** The error of a daemon that is about to end. */
const ENDING = "daemon.ending"

/**
 * @throws RequestTooLargeError before anything is sent.
 * @throws RemoteError     the daemon answered with an error.
 * @throws DaemonGoneError after a minute without an answer, or an answer that makes no sense.
 */
export async function exchange(daemon: Reached, request: HttpRequest): Promise<HttpAnswer> {
  return understand(await sendAndFollow(daemon, request))
}

/** @throws RemoteError, DaemonGoneError as {@link exchange} does. */
export function understand(answer: Sent): HttpAnswer {
  if (answer.kind !== "answered") return answer
  if (answer.status === 401) return { kind: "unreachable" }
  const body = parse(answer.text)
  if (answer.status < 400) return { kind: "answered", body }
  if (isErrorDocument(body)) {
    if (body.error.code === ENDING) return { kind: "ending" }
    throw new RemoteError(body.error)
  }
  throw new DaemonGoneError(`The daemon answered ${answer.status} without saying why.`)
}

const ACCEPTED = 202
/** The status for an unknown operation: the daemon is a later one. */
const GONE = 410

/** The final result of a request, however long the daemon takes. */
async function sendAndFollow(daemon: Reached, request: HttpRequest): Promise<Sent> {
  let answer = await send(daemon, request)
  const { operation } = acceptedAs(answer)
  if (operation === undefined) return answer
  request.onAccepted?.()
  const next = addressOf(ROUTES.operation.at, operation)
  while (acceptedAs(answer).operation) answer = await send(daemon, next)
  const isLost = answer.kind === "answered" ? answer.status === GONE : answer.kind === "unreachable"
  return isLost ? { kind: "broken" } : answer
}

function acceptedAs(answer: Sent): Answer<"operation"> {
  if (answer.kind !== "answered" || answer.status !== ACCEPTED) return {}
  return parse(answer.text) as Answer<"operation">
}

type Sent = Exclude<RawAnswer, { kind: "failed" }>
export type Answered = Extract<RawAnswer, { kind: "answered" }>

async function send(
  { address, token, pid }: Reached,
  { method, path, key, body: document, waitMsMax = REQUEST_MS_MAX }: HttpRequest,
): Promise<Sent> {
  const body = document === undefined ? "" : JSON.stringify(document)
  const bytes = Buffer.byteLength(body)
  if (bytes > REQUEST_BYTES_MAX) throw new RequestTooLargeError(bytes, REQUEST_BYTES_MAX)
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && { "Content-Type": "application/json" }),
    ...(key && { "Idempotency-Key": key }),
  }
  const request = { address, method, path, headers, body, waitMsMax, findBlocker: blockerOf(pid) }
  const answer = await exchangeRaw(request)
  if (answer.kind !== "failed") return answer
  throw new DaemonGoneError(`The daemon did not answer: ${answer.message}.`, hintsFor(pid))
}

/** Looks whether the process of a daemon is stopped, so that no answer will come. */
export const blockerOf = (pid: number | undefined) => () =>
  pid !== undefined && isStopped(pid) ? `its process ${pid} is stopped` : undefined

/** Hints about a daemon that runs: starting another one is no help. */
export function hintsFor(pid: number | undefined): string[] {
  if (pid === undefined) return []
  if (isStopped(pid)) return [`\`kill -CONT ${pid}\` continues it.`]
  return [`\`kill ${pid}\` ends its process; tasks continue with the next daemon.`]
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text)
  } catch {
    throw new DaemonGoneError("The daemon's answer is not JSON.")
  }
}

function isErrorDocument(body: unknown): body is ErrorDocument {
  const error = (body as { error?: unknown } | null)?.error // the error of a web framework is a string
  return typeof error === "object" && error !== null && "hints" in error
}
