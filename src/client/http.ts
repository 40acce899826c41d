/**
 * One request to the daemon: JSON there, JSON back.
 *
 * By node:http as builtins.ts takes modules, and not by `fetch`, which loads the whole of undici.
 */
import type { IncomingMessage } from "node:http"
import type { ErrorDocument } from "../core/errors.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonGoneError, RemoteError } from "./errors.ts"

/** Cancelling waits for an agent to end; nothing that the daemon does takes longer. */
const REQUEST_MS_MAX = 60_000

export type HttpRequest = {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
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
 * @throws RemoteError     what the daemon answered, where that is an error.
 * @throws DaemonGoneError when it took longer than a minute, or gave no answer that we understand.
 */
export async function exchange(daemon: DaemonAddress, request: HttpRequest): Promise<HttpAnswer> {
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

type Sent =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  | { readonly kind: "unreachable" | "broken" }

/** How a connection ends whose other side is gone. */
const CUT = ["ECONNRESET", "EPIPE"]

function send(daemon: DaemonAddress, { method, path, body }: HttpRequest): Promise<Sent> {
  const http = process.getBuiltinModule("node:http")
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${daemon.token}`,
    ...(text !== undefined && { "content-type": "application/json" }),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(`${daemon.address}${path}`, { method, headers, agent: false })
    request.setTimeout(REQUEST_MS_MAX, () => request.destroy(new Error("it took too long")))
    request.on("response", (response) => readAll(response, resolve, fail))
    request.on("error", fail)
    request.end(text)

    function fail(error: NodeJS.ErrnoException): void {
      if (error.code === "ECONNREFUSED") resolve({ kind: "unreachable" })
      else if (CUT.includes(error.code ?? "")) resolve({ kind: "broken" })
      else reject(new DaemonGoneError(`The daemon did not answer: ${error.message}.`))
    }
  })
}

/** By its events: an iterator of a stream takes as long to be loaded as a small answer to be read. */
function readAll(
  response: IncomingMessage,
  resolve: (sent: Sent) => void,
  reject: (error: Error) => void,
): void {
  let text = ""
  response.setEncoding("utf8")
  response.on("data", (chunk: string) => {
    text += chunk
  })
  response.on("error", reject) // of a connection that was cut, too
  response.on("end", () => resolve({ kind: "answered", status: response.statusCode ?? 0, text }))
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
