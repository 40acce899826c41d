/**
 * Opens the way of a contained program to the hosts in `contained.network`, and to Coppice itself. The
 * log of its task names each host that was refused, once.
 */
import { join } from "node:path"
import { portsOfMachine } from "../../core/containment/allowed-hosts.ts"
import { type HostRule, parsePlace, readHosts } from "../../core/containment/hosts.ts"
import type { TaskId } from "../../core/ids.ts"
import type { Rows } from "../../jobs/context.ts"
import type { Fence, Launch } from "../../process/fence.ts"
import { serveHosts } from "../../process/host-proxy.ts"
import { ownLauncher } from "../../process/own-launcher.ts"
import { makeScratch } from "../../process/scratch.ts"
import { SOCKET, throughRelay } from "../../process/through-relay.ts"
import { appendLog } from "../../store/log/append.ts"
import { findTask } from "../../store/tasks/find.ts"
import { listTurns } from "../../store/turns/find.ts"

/** A program may ask for any number of hosts. */
const NOTES_MAX = 50
/** Tasks that began earlier may note a host again. */
const TASKS_MAX = 1_000

export type Enclosed = {
  readonly launch: Launch
  readonly fence: Fence
  readonly task: TaskId
  /** `contained.network`. */
  readonly hosts: readonly string[]
  /** The words that start a program of Node in the fence. */
  readonly node: readonly string[]
  /** The paths of the program itself, for the fence to show. */
  readonly readable: readonly string[]
  /** Puts the fence up. */
  enclose(launch: Launch, fence: Fence): Launch
}

export class HostAccess {
  readonly #rows: Rows
  readonly #noted = new Map<TaskId, Set<string>>()

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** @returns the launch of the program behind its fence; `cleanUp` ends its way out. */
  async enclose({ launch, fence, ...of }: Enclosed): Promise<Launch> {
    const rules = [...readHosts(of.hosts), ...coppiceItself(launch.env)]
    const scratch = makeScratch()
    const path = join(scratch.path, SOCKET)
    const onRefused = (host: string, why: string) => this.#note(of.task, host, why)
    const proxy = await serveHosts({ path, rules, onRefused })
    const end = async () => {
      await proxy[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    }
    try {
      const program = [...of.node, ...ownLauncher()]
      const relay = { folder: scratch.path, program, ports: portsOfMachine(rules) }
      const through = throughRelay(launch, fence, { ...relay, readable: of.readable })
      const enclosed = of.enclose(through.launch, through.fence)
      const cleanUp: Launch["cleanUp"] = async (exit) => {
        await enclosed.cleanUp?.(exit)
        await end()
      }
      return { ...enclosed, cleanUp }
    } catch (error) {
      await end()
      throw error
    }
  }

  #note(task: TaskId, host: string, why: string): void {
    const { db, world } = this.#rows
    const noted = this.#noted.get(task) ?? new Set()
    this.#noted.set(task, noted)
    for (const oldest of [...this.#noted.keys()].slice(0, -TASKS_MAX)) this.#noted.delete(oldest)
    if (noted.has(host) || noted.size >= NOTES_MAX || !db.open || !findTask(db, task)) return
    noted.add(host)
    const last = noted.size === NOTES_MAX ? "; further hosts are not noted" : ""
    const turn = listTurns(db, task).at(-1)?.n ?? 0
    appendLog(db, { task, turn, kind: "notice", text: `${why}${last}` }, world.nowMs())
  }
}

/** Its agents report to it. */
function coppiceItself({ COPPICE_URL: address = "" }: Launch["env"]): HostRule[] {
  const place = parsePlace(URL.parse(address)?.host ?? "")
  return place ? [{ ...place, isBelow: false }] : []
}
