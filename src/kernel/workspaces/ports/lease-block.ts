/** Leases a block of ports, used by no other task, to a task in one of its repositories. */

import { createServer } from "node:net"
import type { Db } from "../../store/open.ts"
import type { TaskRepoKey } from "../../tasks/rows/task-repos/work.ts"
import { WorkspaceError } from "../errors.ts"
import { leasePorts, listPorts, releasePorts } from "../rows/ports.ts"
import { type PortBlock, portBlocks } from "../rules/ports.ts"
import { holdOnMachine } from "./machine.ts"

export type BlockWanted = TaskRepoKey & {
  /** The home's path, which decides where its blocks begin. */
  readonly home: string
  readonly count: number
  /** The file through which the homes of this machine coordinate; see machine.ts. */
  readonly machine?: string
}

/** The blocks that this process has written to the machine's file, by store. */
const recorded = new WeakMap<Db, Set<string>>()

/**
 * The task's block, or a new one, which it keeps until its worktree is gone.
 *
 * The store keeps blocks of one home apart, and a file of the machine keeps running homes apart. We
 * lease no block with a port in use. If another home took our block while we were not running, we
 * lease a new one.
 *
 * @returns undefined if none is wanted.
 * @throws {WorkspaceError} `workspace.no_ports` (world)
 */
export async function leaseBlock(db: Db, wanted: BlockWanted): Promise<PortBlock | undefined> {
  const { home, count, name, task } = wanted
  const held = listPorts(db, task).get(name)
  if (held && (await isOurs(db, wanted, held))) return held
  if (held) releasePorts(db, wanted)
  if (count === 0) return undefined
  for (const block of portBlocks(home, count)) {
    if (!(await isBlockFree(block)) || !leasePorts(db, wanted, block)) continue
    if (await recordOnMachine(db, wanted, block)) return block
    releasePorts(db, wanted)
  }
  throw new WorkspaceError("workspace.no_ports", `No ${count} ports in a row are free.`, [
    "End or cancel tasks that are stuck or paused, whose worktrees hold ports.",
    "Set `repos.<name>.ports` in coppice.yml to fewer ports, or to 0 for none.",
  ])
}

const keyOf = ({ task, name }: BlockWanted, { first }: PortBlock) => `${task} ${name} ${first}`

async function isOurs(db: Db, wanted: BlockWanted, block: PortBlock): Promise<boolean> {
  return recorded.get(db)?.has(keyOf(wanted, block)) || (await recordOnMachine(db, wanted, block))
}

async function recordOnMachine(db: Db, wanted: BlockWanted, block: PortBlock): Promise<boolean> {
  if (!(await holdOnMachine(db, wanted.home, block, wanted.machine))) return false
  const known = recorded.get(db) ?? new Set()
  recorded.set(db, known.add(keyOf(wanted, block)))
  return true
}

/** Ports of the block that something listens on. */
export async function listBusy({ first, count }: PortBlock): Promise<number[]> {
  const ports = Array.from({ length: count }, (_, at) => first + at)
  const free = await Promise.all(ports.map(isPortFree))
  return ports.filter((_, at) => !free[at])
}

async function isBlockFree({ first, count }: PortBlock): Promise<boolean> {
  for (let port = first; port < first + count; port++) if (!(await isPortFree(port))) return false
  return true
}

/** On some systems a listener on one address does not block a listener on all addresses. */
const ADDRESSES = ["::", "127.0.0.1", "::1"]
/** The machine has no such address, so this says nothing about the port. */
const NO_ADDRESS: readonly (string | undefined)[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT"]

async function isPortFree(port: number): Promise<boolean> {
  for (const host of ADDRESSES) if (!(await canListen(port, host))) return false
  return true
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(NO_ADDRESS.includes(code)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
