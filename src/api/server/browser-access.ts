/**
 * Decides which requests come from a dashboard that is logged in.
 *
 * A session has two secrets. The cookie is out of reach for scripts, but a browser sends it to every port
 * of this machine. The key stays in the page's own storage, which belongs to one port, so no other
 * page can send it. A request needs both, our own Host, and our own Origin unless it is a plain GET.
 */
import { createHash, createHmac, randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { FleetRows } from "../../kernel/home.ts"
import type { ProofDocument, ProofRequest } from "../wire/browser.ts"
import { FOR_PAGE_HEADER, SESSION_HEADER, SOCKET_KEY, SOCKET_PROTOCOL } from "../wire/session.ts"
import {
  addBrowserSession,
  findBrowserSession,
  findProofKey,
  removeBrowserSession,
} from "./rows/browser-sessions.ts"

/** Enough time to open a link. A link in a browser's history is soon too old. */
const CODE_MS = 5 * 60_000
/** The other person may open the link a day later. */
const READ_ONLY_CODE_MS = 24 * 3_600_000
/** Links that are open at a time; the oldest one goes. */
const CODES_MAX = 20
const SESSION_S = 30 * 24 * 3600

/** An address of this daemon, as a browser names it. */
export type Place = {
  /** With its port, if it is not the usual one. */
  readonly host: string
  readonly origin: string
}

type Request = {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

export class BrowserAccess {
  readonly #fleet: FleetRows
  /** Links that are still unused, by the hash of their code. */
  readonly #codes = new Map<string, { readonly untilMs: number; readonly readOnly: boolean }>()
  #pages = 0

  constructor(fleet: FleetRows) {
    this.#fleet = fleet
  }

  /** Whether a page is open and follows the events. */
  get isWatched(): boolean {
    return this.#pages > 0
  }

  /** @returns a code that logs one browser in, once. */
  newCode({ readOnly }: { readonly readOnly: boolean }): {
    readonly code: string
    readonly untilMs: number
  } {
    const code = secret()
    const untilMs = this.#fleet.world.nowMs() + (readOnly ? READ_ONLY_CODE_MS : CODE_MS)
    this.#codes.set(hash(code), { untilMs, readOnly })
    for (const oldest of [...this.#codes.keys()].slice(0, -CODES_MAX)) this.#codes.delete(oldest)
    return { code, untilMs }
  }

  /**
   * @param places all addresses of the daemon; sessions of others end.
   * @returns undefined for a code that is unknown, used or too old.
   */
  logIn(
    code: string,
    at: Place,
    places: readonly Place[],
  ): { readonly key: string; readonly cookie: string } | undefined {
    const nowMs = this.#fleet.world.nowMs()
    const link = this.#codes.get(hash(code))
    this.#codes.delete(hash(code))
    if (link === undefined || link.untilMs <= nowMs) return undefined
    const [key, cookie] = [secret(), secret()]
    const names = { hash: hash(key, cookie), name: hash("name", key), proofKey: hash("proof", key) }
    const { readOnly } = link
    const session = { ...names, address: at.host, readOnly, untilMs: nowMs + SESSION_S * 1000 }
    const addresses = places.map(({ host }) => host)
    addBrowserSession(this.#fleet.db, { session, addresses }, nowMs)
    return { key, cookie: cookieText(at, cookie, SESSION_S) }
  }

  /**
   * Proves to a page that this is the daemon that it logged in to: another program may have taken the
   * port while no daemon ran. A page asks for this before it sends its secrets.
   *
   * @returns undefined for an unknown session.
   */
  prove({ name, nonce }: ProofRequest, { host }: Place): ProofDocument | undefined {
    const found = findProofKey(this.#fleet.db, { name, address: host }, this.#fleet.world.nowMs())
    if (!found) return undefined
    const { proofKey, readOnly } = found
    return { proof: createHmac("sha256", proofKey).update(nonce).digest("base64url"), readOnly }
  }

  /** Ends the session of a request that is trusted. @returns the cookie that removes the other one. */
  logOut({ headers }: Request, at: Place): string {
    removeBrowserSession(this.#fleet.db, hashOf(headers, at.host))
    return cookieText(at, "", 0)
  }

  /** @returns the session of a request that may be answered. */
  sessionOf({ method, headers }: Request, { host }: Place) {
    const isPlainGet = method === "GET" && headers.upgrade === undefined
    if (!isPlainGet && headers.origin === undefined) return undefined
    const found = { hash: hashOf(headers, host), address: host }
    return findBrowserSession(this.#fleet.db, found, this.#fleet.world.nowMs())
  }

  /** Counts a page as open until its connection ends. */
  watch(page: { once(event: "close", run: () => void): unknown }): void {
    this.#pages += 1
    page.once("close", () => {
      this.#pages -= 1
    })
  }
}

/** The address of ours that a request names; undefined if it names, or its page has, another one. */
export function placeOf(
  { host, origin }: IncomingHttpHeaders,
  places: readonly Place[],
): Place | undefined {
  const own = places.find((one) => one.host === host)
  return own && (origin === undefined || origin === own.origin) ? own : undefined
}

/** Whether a request comes from a browser's page, not from a client with the token. */
export const isOfPage = (headers: IncomingHttpHeaders): boolean => keyIn(headers) !== ""

/** Whether the daemon of another home passes on the request of a page. */
export const isForPage = (headers: IncomingHttpHeaders): boolean =>
  headers[FOR_PAGE_HEADER] !== undefined

/** A browser keeps cookies by host alone, so the name has the port. */
const nameOf = (host: string): string => `coppice-${host.split(":").at(-1)}`

function cookieText({ host, origin }: Place, value: string, seconds: number): string {
  const secure = origin.startsWith("https:") ? "; Secure" : ""
  return `${nameOf(host)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

function hashOf(headers: IncomingHttpHeaders, host: string): string {
  const cookies = (headers.cookie ?? "").split(/; */).map((pair) => pair.split("="))
  const cookie = cookies.find(([name]) => name === nameOf(host))?.[1]
  return hash(keyIn(headers), cookie ?? "")
}

function keyIn(headers: IncomingHttpHeaders): string {
  const key = headers[SESSION_HEADER]
  if (typeof key === "string") return key
  const offered = (headers["sec-websocket-protocol"] ?? "").split(/, */)
  if (!offered.includes(SOCKET_PROTOCOL)) return ""
  return offered.find((one) => one.startsWith(SOCKET_KEY))?.slice(SOCKET_KEY.length) ?? ""
}

const secret = (): string => randomBytes(32).toString("base64url")

const hash = (...secrets: readonly string[]): string =>
  createHash("sha256").update(secrets.join(" ")).digest("base64url")
