/**
 * The hosts that contained programs may reach: `contained.network`. Pure.
 *
 * An entry is a name, `*.` and a name for all names below it, or an address. Each may end with a port.
 */
import { type HostRule, LOOPBACK, type Place, readHosts } from "./hosts.ts"

/** True: all hosts. False: none, not even Coppice. A list: these and Coppice. */
export type Network = boolean | readonly string[]

export const isListed = (rules: readonly HostRule[], { host, port }: Place): boolean =>
  rules.some(
    (rule) =>
      (rule.port ?? port) === port &&
      (rule.isBelow ? host.endsWith(`.${rule.host}`) : host === rule.host),
  )

/** Ports of this machine. Inside the fence the same ports lead to them. */
export const portsOfMachine = (rules: readonly HostRule[]): readonly number[] => [
  ...new Set(rules.flatMap(({ host, port }) => (host === LOOPBACK && port ? [port] : []))),
]

/** Whether a program with the network `other` reaches nothing that `first` does not. */
export function coversNetwork(first: Network, other: Network): boolean {
  if (first === true || other === false) return true
  if (first === false || other === true) return false
  const rules = readHosts(first)
  return readHosts(other).every((one) =>
    rules.some(
      (rule) =>
        (rule.port === undefined || rule.port === one.port) &&
        (rule.host === one.host
          ? rule.isBelow === one.isBelow
          : rule.isBelow && one.host.endsWith(`.${rule.host}`)),
    ),
  )
}
