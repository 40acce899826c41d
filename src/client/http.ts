/** One request to the daemon: JSON there, JSON back. */
import type { ErrorDocument } from "../core/errors.ts"
import { REQUEST_BYTES_MAX } from "../core/wire/bounds.ts"
import { RequestTooLargeError } from "../core/wire/errors.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonGoneError, RemoteError } from "./errors.ts"
import { exchangeRaw, type RawAnswer } from "./http-exchange.ts"

/** Cancelling waits for an agent to end; nothing that the daemon does takes longer. */
const REQUEST_MS_MAX = 60_000

/** As much of a daemon as it takes to ask it. */
type Reached = Pick<DaemonAddress, "address" | "token">

export type HttpRequest = {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
  /** Default: {@link REQUEST_MS_MAX}. */
  readonly waitMsMax?: number
}

/**
 * `unreachable`: nobody listens there, or not our daemon; `ending`: it takes nothing on any more.
 * In both cases the request has not been carried out. `broken`: the connection was cut before the
 * answer had come, and the request may have been carried out.
 */
export type HttpAnswer =
  | { readonly kind: "answered"; readonly body: unknown }
  | { readonly kind: "unreachable" | "ending" | "broken" }

/** What a daemon says that has been told to end. */
const ENDING = "daemon.ending"

/**
 * @throws RequestTooLargeError before anything is sent.
 * @throws RemoteError     what the daemon answered, where that is an error.
 * @throws DaemonGoneError when it took longer than a minute, or gave no answer that we understand.
 */
export async function exchange(daemon: Reached, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(daemon, request)
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

type Sent = Exclude<RawAnswer, { kind: "failed" }>

async function send(
  { address, token }: Reached,
  { method, path, body: document, waitMsMax = REQUEST_MS_MAX }: HttpRequest,
): Promise<Sent> {
  const body = document === undefined ? "" : JSON.stringify(document)
  const bytes = Buffer.byteLength(body)
  if (bytes > REQUEST_BYTES_MAX) throw new RequestTooLargeError(bytes, REQUEST_BYTES_MAX)
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && { "Content-Type": "application/json" }),
  }
  const request = { address, method, path, headers, body, waitMsMax }
  const answer = await exchangeRaw(request)
  if (answer.kind !== "failed") return answer
  throw new DaemonGoneError(`The daemon did not answer: ${answer.message}.`)
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text)
  } catch {
    throw new DaemonGoneError("The daemon's answer is not JSON.")
  }
}

function isErrorDocument(body: unknown): body is ErrorDocument {
  const error = (body as { error?: unknown } | null)?.error // a web framework's own is a string
  return typeof error === "object" && error !== null && "hints" in error
}
