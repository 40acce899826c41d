/**
 * Sends requests to push services. A browser names the address, so the server must speak https and be
 * outside this machine and every private network. Otherwise a page could use the daemon to reach
 * servers that it cannot reach itself.
 */
import dns, { type LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { DaemonError } from "../../../kernel/errors.ts"
import { https } from "../../../kernel/process/node-http.ts"
import { isPublicAddress } from "../../containment/public-address.ts"

/** @throws {DaemonError} `request.invalid` (user) if it cannot be the address of a push service. */
export function requireEndpoint(endpoint: string): void {
  const { protocol, hostname = "", username, port } = URL.parse(endpoint) ?? {}
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  const isNamed = /\.(?!local$|internal$|home$|lan$)[a-z0-9-]+$/i.test(host)
  const isPublic = isIP(host) === 0 ? isNamed : isPublicAddress(host)
  if (protocol === "https:" && username === "" && port === "" && isPublic) return
  throw new DaemonError("request.invalid", "The endpoint is not the address of a push service.")
}

export type PushRequest = {
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
  readonly signal: AbortSignal
}
export type PushAnswer = { readonly status: number; readonly retryAfter: string | null }
/** @throws when the service cannot be reached. */
export type PostPush = (endpoint: string, request: PushRequest) => Promise<PushAnswer>

type Resolve = (host: string, done: (error: Error | null, found: LookupAddress[]) => void) => void
const resolve: Resolve = (host, done) => dns.lookup(host, { all: true }, done)

/** DNS may resolve a public name to a private address, so each connection checks the addresses. */
export function publicLookup(find: Resolve = resolve): LookupFunction {
  return (host, options, done) =>
    find(host, (error, found) => {
      const allowed = (found ?? []).filter(({ address }) => isPublicAddress(address))
      const [first] = allowed
      if (error || !first) return done(error ?? new Error("it has no public address"), "", 0)
      if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
}

/** Follows no redirect, and does not read the body of the response. */
export const postPush: PostPush = async (endpoint, { headers, body, signal }) => {
  requireEndpoint(endpoint)
  const { promise, resolve, reject } = Promise.withResolvers<PushAnswer>()
  const sent = https.request(endpoint, { method: "POST", headers, signal, lookup: publicLookup() })
  sent.on("error", reject)
  sent.on("response", (answer) => {
    answer.on("error", () => {})
    answer.destroy()
    const { "retry-after": retryAfter = null } = answer.headers
    resolve({ status: answer.statusCode ?? 0, retryAfter })
  })
  sent.end(body)
  return await promise
}
