/** Judges a host that a contained program asks for, and resolves its name. */
import dns, { type LookupAddress } from "node:dns"
import { networkInterfaces } from "node:os"
import { promisify } from "node:util"
import { isPublicAddress } from "./public-address.ts"
import { isListed } from "./rules/allowed-hosts.ts"
import { type HostRule, isAddress, type Place } from "./rules/hosts.ts"

/** @param gone the client has gone. */
export type Resolve = (host: string, gone: AbortSignal) => Promise<readonly LookupAddress[]>

export type OpenWay = Place & {
  readonly kind: "open"
  readonly addresses: readonly [LookupAddress, ...LookupAddress[]]
}
export type Way =
  | OpenWay
  | {
      readonly kind: "refused"
      readonly host: string
      /** For the program and for a person. */
      readonly refused: string
      /** Whether the list refuses it; else the name does not resolve. */
      readonly isByRule: boolean
    }

export const resolveBySystem: Resolve = async (host) =>
  await promisify(dns.lookup)(host, { all: true })

/** A resolver asks several servers for a few seconds each. */
const LOOKUP_MS_MAX = 30_000

/**
 * A slow name holds up its own program alone, and no longer than its time. Node resolves names in few threads, so a
 * program has one. A client that is gone no longer waits for its turn.
 */
export function oneByOne(resolve: Resolve, lookupMsMax = LOOKUP_MS_MAX): Resolve {
  let isBusy = false
  const waiting = new Set<() => void>()
  const turn = async (gone: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.add(resolve)
    gone.addEventListener("abort", () => {
      waiting.delete(resolve)
      reject(gone.reason)
    })
    await promise
  }
  return async (host, gone) => {
    gone.throwIfAborted()
    if (isBusy) await turn(gone)
    isBusy = true
    try {
      return await inTime(resolve(host, gone), lookupMsMax)
    } finally {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else isBusy = false
    }
  }
}

/** @returns no address if there is none in time. */
async function inTime(lookup: ReturnType<Resolve>, ms: number): ReturnType<Resolve> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly LookupAddress[]>()
  const timer = setTimeout(giveUp, ms, [])
  try {
    return await Promise.race([lookup, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function findWay(
  rules: readonly HostRule[],
  place: Place,
  resolve: (host: string) => ReturnType<Resolve>,
): Promise<Way> {
  const { host, port } = place
  const shown = port === 443 || port === 80 ? host : `${host}:${port}`
  const refuse = (why: string, isByRule = true): Way => ({
    kind: "refused",
    host: shown,
    refused: `refused: ${shown} ${why}`,
    isByRule,
  })
  if (!isListed(rules, place)) return refuse("is not in contained.network")
  if (isAddress(host))
    return { kind: "open", host: bare(host), port, addresses: [addressOf(bare(host))] }
  // The program reads that the name has no address, for any reason.
  const found = await resolve(host).catch(() => [])
  const isFree = (address: string) =>
    (isPublicAddress(address) && !isOwn(address)) ||
    isListed(rules, { host: wrapped(address), port })
  const [first, ...others] = found.filter(({ address }) => isFree(address))
  if (first) return { kind: "open", host, port, addresses: [first, ...others] }
  const [hidden] = found
  if (!hidden) return refuse("has no address", false)
  return refuse(
    `is at ${hidden.address}, this machine or a private network, and that is not in contained.network`,
  )
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, "")

const wrapped = (address: string): string => (address.includes(":") ? `[${address}]` : address)

const addressOf = (address: string): LookupAddress => ({
  address,
  family: address.includes(":") ? 6 : 4,
})

/** A machine may have public addresses, and serve there what the person alone may use. */
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address))
