/**
 * Lets a contained program reach the hosts of a list alone, by a relay in its fence that leads to the proxy outside.
 *
 * A shell in the fence starts the relay, then the program. If the relay does not start, neither
 * does the program, with the exit code of a program that cannot be started.
 */

import type { Fence, Launch } from "../../kernel/process/fence.ts"
import { READY } from "./relay.ts"
import { LOOPBACK } from "./rules/hosts.ts"

/** The first argument of the command that starts the relay. */
const RELAY = "relay"

/** The folder of the proxy's socket, as the fence shows it. */
const FOLDER = "/run/coppice/network"
export const SOCKET = "proxy"

/** The port of the relay in the fence: this one, or the next one that leads to no port of the machine. */
const PROXY_PORT = 3128

/** Programs on loopback in the fence are reached without the proxy. */
const DIRECT = `localhost,${LOOPBACK},::1`

export type RelayOf = {
  /** The folder of the proxy's socket. */
  readonly folder: string
  /** The command that starts this program in the fence. */
  readonly program: readonly string[]
  /** Ports of this machine that the same ports in the fence lead to. */
  readonly ports: readonly number[]
  /** Paths that the fence must show, since the shell is now the program that it knows. */
  readonly readable: readonly string[]
}

/** The launch and the fence for the same program, without a network of its own. */
export function throughRelay(
  launch: Launch,
  fence: Fence,
  { folder, program, ports, readable }: RelayOf,
): { readonly launch: Launch; readonly fence: Fence } {
  let port = PROXY_PORT
  while (ports.includes(port)) port++
  const relay = [...program, RELAY, `${FOLDER}/${SOCKET}`, port, ...ports]
  const address = `http://${LOOPBACK}:${port}`
  return {
    launch: {
      ...launch,
      command: "/bin/sh",
      args: ["-c", startsAfter(relay.map(String)), "coppice", launch.command, ...launch.args],
      env: { ...withoutProxies(launch.env), ...variables(address) },
    },
    fence: {
      ...fence,
      network: false,
      readable: [...readable, ...fence.readable],
      fixed: [...fence.fixed, { from: folder, at: FOLDER }],
    },
  }
}

/** Variables that are meant for the program, and could make the relay fail or print. */
const OF_PROGRAM = "NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_DEBUG LD_PRELOAD"

/**
 * The relay may print warnings before it is ready. If an image lacks the path of the program, the shell
 * finds it by its name.
 */
const startsAfter = (relay: readonly string[]): string =>
  `said=$(unset ${OF_PROGRAM}; ${relay.map(quote).join(" ")} </dev/null 2>&1 &)
case $said in ${READY} | *"
${READY}") ;; *) echo "coppice: the relay to the network does not start: $said" >&2; exit 126 ;; esac
program=$1; shift
case $program in /*) [ -x "$program" ] || program=\${program##*/} ;; esac
exec "$program" "$@"`

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const OF_PROXY = /^(https?|all|no)_proxy$/i

const withoutProxies = (env: Launch["env"]): Launch["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OF_PROXY.test(name)))

/** Some programs read one spelling, some the other. Node needs the last one to read them. */
const variables = (address: string): Record<string, string> => ({
  HTTP_PROXY: address,
  HTTPS_PROXY: address,
  NO_PROXY: DIRECT,
  http_proxy: address,
  https_proxy: address,
  no_proxy: DIRECT,
  NODE_USE_ENV_PROXY: "1",
})
