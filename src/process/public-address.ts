/** Whether an address lies outside of this machine and of every private network. */
import { BlockList, isIP } from "node:net"

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ...[
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ],
  ...[
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
  ],
  ...[["224.0.0.0", 3]],
] as [string, number][])
  PRIVATE.addSubnet(net, bits, "ipv4")
/** IPv4 addresses written as IPv6 (`::ffff:…`) are outside this range, and so refused. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet("2000::", 3, "ipv6")
/** Teredo and 6to4: such an address contains an IPv4 address, which may be private. */
const TRANSLATED_V6 = new BlockList()
for (const [net, bits] of [
  ["2001::", 32],
  ["2002::", 16],
] as [string, number][])
  TRANSLATED_V6.addSubnet(net, bits, "ipv6")

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !PRIVATE.check(address, "ipv4")
  return PUBLIC_V6.check(address, "ipv6") && !TRANSLATED_V6.check(address, "ipv6")
}
