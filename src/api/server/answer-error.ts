/** Turns errors into error documents: every refused request is answered with one. */
import type { Socket } from "node:net"
import type { FastifyError, FastifyReply } from "fastify"
import { AppError, type Blame, toErrorDocument } from "../../base/errors.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { http } from "../../kernel/process/node-http.ts"

const STATUS: Readonly<Record<Blame, number>> = { user: 400, world: 503, bug: 500 }
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  "home.unknown": 404,
  "task.not_found": 404,
  "task.refused": 409,
  "operation.unknown": 410,
  "landing.not_found": 404,
  "landing.refused": 409,
  "rescue.not_found": 404,
  "branch.refused": 409,
  "approval.stale": 409,
  "work_item.active": 409,
  "link.unknown": 404,
  "link.expired": 410,
  "link.used": 410,
  "link.stale": 409,
  "request.read_only": 403,
  "request.unauthorized": 401,
  "request.upgrade_required": 426,
}

/** @param error Fastify's own refusals (broken JSON, say) are the caller's mistake. */
export function answerError(
  error: FastifyError,
  reply: FastifyReply,
  onBug: (error: unknown) => void,
): FastifyReply {
  const isRefusal = error.statusCode !== undefined && error.statusCode < 500
  const known = isRefusal ? new DaemonError("request.invalid", error.message) : error
  if (!(known instanceof AppError) || known.blame === "bug") onBug(error)
  const document = toErrorDocument(known)
  return reply.status(statusOf(document.error)).send(document)
}

export const statusOf = ({ code, blame }: { readonly code: string; readonly blame: Blame }) =>
  STATUS_BY_CODE[code] ?? STATUS[blame]

/** An unreadable request never reaches a route, so its answer is written by hand. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return
  if (socket.bytesRead === 0) {
    // A browser connects ahead of need. It would take a late answer for that of its next request.
    socket.destroy()
    return
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400
  const reason = status === 431 ? "its path or headers are too long" : error.message
  const refusal = new DaemonError("request.invalid", `The request cannot be read: ${reason}.`)
  const body = JSON.stringify(toErrorDocument(refusal))
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}
