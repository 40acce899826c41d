/**
 * One HTTP/1.0 request and its answer, on a connection of its own: with 1.1 a server may answer in
 * chunks.
 *
 * Node's HTTP client takes longer to load than all the rest of `coppice ls`. Our own daemon on loopback
 * states the length of its answers, so this needs little of HTTP.
 */
import type { Socket } from "node:net"

export type RawRequest = {
  /** `http://127.0.0.1:<port>` */
  readonly address: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly waitMsMax: number
  /** Called while there is no answer: the reason why none will come. */
  findBlocker?(): string | undefined
}

export type RawAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  /** No process listens there: the request was not sent. */
  | { readonly kind: "unreachable" }
  /** The connection ended before the whole answer had arrived. */
  | { readonly kind: "broken" }
  | { readonly kind: "failed"; readonly message: string }

/** Errors of a connection whose other side is gone. */
const CUT = ["ECONNRESET", "EPIPE"]
/** A person who waits for a stopped daemon learns that within 2 s. */
const POLL_MS = 1_000
const HEAD_END = "\r\n\r\n"

export function exchangeRaw(request: RawRequest): Promise<RawAnswer> {
  const { port, hostname } = new URL(request.address)
  const socket = process.getBuiltinModule("node:net").connect(Number(port), hostname)
  socket.setTimeout(request.waitMsMax, () => socket.destroy(new Error("it took too long")))
  socket.write(format(request))
  const look = setInterval(() => {
    const blocker = request.findBlocker?.()
    if (blocker) socket.destroy(new Error(blocker))
  }, POLL_MS)
  return readAnswer(socket).finally(() => clearInterval(look))
}

function format({ address, method, path, headers, body }: RawRequest): string {
  const all = {
    Host: new URL(address).host,
    ...headers,
    ...(body && { "Content-Length": String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.0`, ...lines, "", body].join("\r\n")
}

function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("end", () => {
      resolve(parse(Buffer.concat(chunks)))
      socket.destroy()
    })
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") resolve({ kind: "unreachable" })
      else if (CUT.includes(error.code ?? "")) resolve({ kind: "broken" })
      else resolve({ kind: "failed", message: error.message })
    })
  })
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return { kind: "broken" }
  const head = bytes.toString("latin1", 0, end)
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]
  if (status === undefined) return { kind: "failed", message: "the answer is not HTTP" }
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  const body = bytes.subarray(end + HEAD_END.length)
  if (length !== undefined && body.length < Number(length)) return { kind: "broken" }
  return { kind: "answered", status: Number(status), text: body.toString("utf8") }
}
