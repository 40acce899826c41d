/** Gives a task in one of its repositories a block of ports that nobody else has. */
import { type PortBlock, portBlocks } from "../../core/ports.ts"
import type { Db } from "../../store/open.ts"
import { leasePorts } from "../../store/ports/lease.ts"
import { listPorts } from "../../store/ports/list.ts"
import type { TaskRepoKey } from "../../store/task-repos/key.ts"
import { WorkspaceError } from "../errors.ts"
import { isPortFree } from "./is-port-free.ts"

export type BlockWanted = TaskRepoKey & {
  /** The home's path: where its blocks begin. */
  readonly home: string
  readonly count: number
}

/**
 * The block that it has, or a new one, which is its until its worktree is gone.
 *
 * Within the home the store keeps blocks apart. Other homes begin elsewhere, and on a block that
 * something listens on nothing is leased.
 *
 * @returns undefined where none is wanted.
 * @throws {WorkspaceError} `workspace.no_ports` (world)
 */
export async function leaseBlock(db: Db, wanted: BlockWanted): Promise<PortBlock | undefined> {
  const { home, count, name, task } = wanted
  const held = listPorts(db, task).get(name)
  if (held || count === 0) return held
  for (const block of portBlocks(home, count))
    if ((await isBlockFree(block)) && leasePorts(db, wanted, block)) return block
  throw new WorkspaceError("workspace.no_ports", `No ${count} ports in a row are free.`, [
    "End or cancel tasks that are stuck or paused, whose worktrees hold ports.",
    "Set `repos.<name>.ports` in coppice.yml to fewer ports, or to 0 for none.",
  ])
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
