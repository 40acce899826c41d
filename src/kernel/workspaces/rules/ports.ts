/** Blocks of ports, and the order in which a home tries them. Pure. */
import { fnv1a } from "../../../base/text/hash.ts"

export type PortBlock = { readonly first: number; readonly count: number }

/** Above what well-known services use, below the ports that Linux and macOS assign automatically. */
const FIRST = 20_000
const END = 32_768
/** Far more than a project needs. */
export const PORTS_MAX = 100

/** All blocks of `count` ports, once each; every home starts at a different one. */
export function* portBlocks(home: string, count: number): Generator<PortBlock, void, undefined> {
  const places = Math.floor((END - FIRST) / count)
  const start = Number(BigInt(`0x${fnv1a(home)}`) % BigInt(places))
  for (let at = 0; at < places; at++)
    yield { first: FIRST + ((start + at) % places) * count, count }
}
