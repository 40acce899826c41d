/**
 * Opens the way of a contained program to the hosts in `contained.network`, and to Coppice itself. The
 * log of its task names each host that was refused, once.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TaskId } from "../../base/ids.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import type { Fence, Launch } from "../../kernel/process/fence.ts"
import { ownLauncher } from "../../kernel/process/own-launcher.ts"
import { makeScratch, type Scratch } from "../../kernel/process/scratch-folder.ts"
import type { Notices } from "./fence-notices.ts"
import { type ProxyOptions, serveHosts } from "./host-proxy.ts"
import { portsOfMachine } from "./rules/allowed-hosts.ts"
import { type HostRule, parsePlace, readHosts } from "./rules/hosts.ts"
import { SOCKET, throughRelay } from "./through-relay.ts"

/** Linux takes a path of 107 bytes for a socket. */
const SHORT_FOLDER =
  "Restart the daemon with a TMPDIR that exists, that you may write to, and that has a short path, such as /tmp."

export type Enclosed = {
  readonly launch: Launch
  readonly fence: Fence
  readonly task: TaskId
  /** `contained.network`. */
  readonly hosts: readonly string[]
  /** The command that starts a program of Node in the fence. */
  readonly node: readonly string[]
  /** The paths of the program itself, for the fence to show. */
  readonly readable: readonly string[]
  /** Puts the fence up. */
  enclose(launch: Launch, fence: Fence): Launch
}

export class HostAccess {
  readonly #notices: Notices

  constructor(notices: Notices) {
    this.#notices = notices
  }

  /** @returns the launch of the program behind its fence; `cleanUp` ends its way out. */
  async enclose({ launch, fence, ...of }: Enclosed): Promise<Launch> {
    const rules = [...readHosts(of.hosts), ...coppiceItself(launch.env)]
    const onRefused = (host: string, why: string) => this.#notices.note(of.task, host, why)
    const way = await openWay({ rules, onRefused })
    try {
      const program = [...of.node, ...ownLauncher()]
      const relay = { folder: way.folder, program, ports: portsOfMachine(rules) }
      const through = throughRelay(launch, fence, { ...relay, readable: of.readable })
      const enclosed = of.enclose(through.launch, through.fence)
      const cleanUp: Launch["cleanUp"] = async (exit) => {
        try {
          await enclosed.cleanUp?.(exit)
        } finally {
          await way.end()
        }
      }
      return { ...enclosed, cleanUp }
    } catch (error) {
      await way.end()
      throw error
    }
  }
}

/** @throws {UnstartableError} (world) if the temporary folder cannot have the socket. */
async function openWay(options: Omit<ProxyOptions, "path">) {
  let scratch: Scratch | undefined
  try {
    scratch = makeScratch()
    const { path: folder } = scratch
    const proxy = await serveHosts({ ...options, path: join(folder, SOCKET) })
    const end = async () => {
      await proxy[Symbol.asyncDispose]()
      scratch?.[Symbol.dispose]()
    }
    return { folder, end }
  } catch (error) {
    scratch?.[Symbol.dispose]()
    const why = `no socket for the hosts of \`contained.network\` opens in ${tmpdir()}`
    throw new UnstartableError(why, [SHORT_FOLDER], error)
  }
}

/** The daemon itself, to which its agents report. */
function coppiceItself({ COPPICE_URL: address = "" }: Launch["env"]): HostRule[] {
  const place = parsePlace(URL.parse(address)?.host ?? "")
  return place ? [{ ...place, isBelow: false }] : []
}
