/** Says what a refused request, or a turn that ended early, means for a session. */

import type { SessionEnd } from "../../kernel/runtime/runtime.ts"
import type { RpcError } from "../runtimes/json-rpc.ts"

/** @see https://agentclientprotocol.com/protocol/v1/schema for the codes of errors. */
const AUTH_REQUIRED = -32_000
/** Programs pass the status of their model API on as the code of the error. */
const REFUSED = [AUTH_REQUIRED, 401, 402, 403]
const LIMITED = 429
const SERVER_FAULT = 500
/** For programs that pass on the text alone. */
const SAYS_REFUSED = /\b(api[ _-]?key|unauthori[sz]ed|authenticat\w+|not logged in)\b/i
const SAYS_UNAVAILABLE = /\b(rate.?limit\w*|too many requests|quota|overloaded|unavailable)\b/i

export function acpRefusal(name: string, { code = 0, message }: RpcError): SessionEnd {
  if (REFUSED.includes(code) || (code < 0 && SAYS_REFUSED.test(message))) {
    const change = `log in with ${name} itself or set its key where Coppice is started`
    const text = `${name} refuses us (${message}): ${change}, run \`coppice down\`, then restart the task`
    return { kind: "stuck", code: "api_refused", text }
  }
  if (code === LIMITED || code >= SERVER_FAULT || (code < 0 && SAYS_UNAVAILABLE.test(message))) {
    const text = `the model API, which does not answer: ${message}`
    return { kind: "postponed", untilMs: null, text }
  }
  return { kind: "stuck", code: "failed", text: `${name} refused: ${message}` }
}

const NOT_FOUND = -32_002
/** Programs whose code for this says less. */
const SAYS_UNKNOWN =
  /\b(not found|no such session|unknown session|invalid session|no previous sessions|does not exist)\b/i

/** Any other refusal to resume may pass, so it must not end the conversation. */
export const isUnknownAcpSession = ({ code, message }: RpcError): boolean =>
  code === NOT_FOUND || SAYS_UNKNOWN.test(message)

/** Undefined: the turn has ended well. */
export function acpStop(name: string, reason: unknown): SessionEnd | undefined {
  if (reason === "end_turn") return undefined
  const text = `${name} ended the turn early: ${REASON_TEXTS[String(reason)] ?? String(reason)}`
  return { kind: "stuck", code: reason === "max_turn_requests" ? "budget" : "failed", text }
}

const REASON_TEXTS: Readonly<Record<string, string>> = {
  max_tokens: "the model reached its limit of tokens",
  max_turn_requests: "the program's own limit of requests in a turn is reached",
  refusal: "the model refused to go on",
  cancelled: "the program cancelled it",
}
