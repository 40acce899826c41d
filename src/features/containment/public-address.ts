/** Whether an address lies outside of this machine and of every private network. */
import { BlockList, isIP } from "node:net"

type Net = readonly [address: string, bits: number]

function blockList(family: "ipv4" | "ipv6", nets: readonly Net[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of nets) list.addSubnet(address, bits, family)
  return list
}

/** "This" network, private networks, shared addresses, loopback, link-local, special uses, multicast. */
const PRIVATE = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
])
/** IPv4 addresses written as IPv6 (`::ffff:…`) are outside this range, and so refused. */
const PUBLIC_V6 = blockList("ipv6", [["2000::", 3]])
/** Teredo and 6to4: such an address contains an IPv4 address, which may be private. */
const TRANSLATED_V6 = blockList("ipv6", [
  ["2001::", 32],
  ["2002::", 16],
])

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !PRIVATE.check(address, "ipv4")
  return PUBLIC_V6.check(address, "ipv6") && !TRANSLATED_V6.check(address, "ipv6")
}
