/** How `contained.network` names hosts, and how a program does. Pure. */
import { assert } from "../../../base/assert.ts"

export type HostRule = {
  /** As `canonicalHost` writes it. */
  readonly host: string
  /** Whether it means the names below the host, and not the host itself. */
  readonly isBelow: boolean
  /** Undefined: every port. */
  readonly port: number | undefined
}

/** A program asks for this: the host as `canonicalHost` writes it. */
export type Place = { readonly host: string; readonly port: number }

export const LOOPBACK = "127.0.0.1"

const ENTRY = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/[\]*@?#%\\]+)(?::(\d{1,5}))?$/i
/** The last port of TCP. */
const PORT_MAX = 65_535
/** The longest name of the DNS. */
const NAME_CHARS_MAX = 253

/** @returns why the text is no entry of the list; undefined: it is one. */
export function findHostFault(text: string): string | undefined {
  const rule = parseHost(text)
  if (rule === undefined)
    return "must be a host, such as api.anthropic.com, *.npmjs.org or 10.0.0.5:8080"
  const { host, isBelow, port } = rule
  if (isBelow && (isAddress(host) || !host.includes(".")))
    return "stands for too many hosts: after `*.` comes a domain, such as npmjs.org"
  if (/^(\[::1?\]|0\.)/.test(host)) return "must be 127.0.0.1 and a port to mean this machine"
  if (host.startsWith("127.") && port === undefined)
    return "is this machine, so it needs a port, such as 127.0.0.1:8080"
  return undefined
}

/** @param list whose entries have no fault. */
export function readHosts(list: readonly string[]): readonly HostRule[] {
  return list.map((text) => {
    const rule = parseHost(text)
    assert(rule, "the configuration has checked each host")
    return rule
  })
}

function parseHost(text: string): HostRule | undefined {
  const [, below, named = "", digits] = ENTRY.exec(text) ?? []
  const host = named === "" ? undefined : canonicalHost(named)
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || port === 0 || (port ?? 0) > PORT_MAX) return undefined
  return { host, isBelow: below !== undefined, port }
}

/** @param authority as in `CONNECT host:443`. */
export function parsePlace(authority: string): Place | undefined {
  const [, below, named = "", digits] = ENTRY.exec(authority) ?? []
  const [host, port] = [named === "" ? undefined : canonicalHost(named), Number(digits)]
  if (host === undefined || below || !(port > 0 && port <= PORT_MAX)) return undefined
  return { host, port }
}

/** Small letters, no dot at the end, an address in its usual form, `localhost` as an address. */
function canonicalHost(name: string): string | undefined {
  const host = URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, "") ?? ""
  if (host === "" || host.length > NAME_CHARS_MAX) return undefined
  return host === "localhost" ? LOOPBACK : host
}

export const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host)
