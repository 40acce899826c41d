/**
 * Keeps blocks of ports apart between the homes of a user on one machine.
 *
 * Each home keeps its leases in its own store. A running daemon's leases are also in one file that
 * all homes know, with its process; entries of a dead one are ignored. If the file is unusable,
 * homes are only kept apart by where their blocks begin.
 */
import { lstatSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { folderFault } from "../../../base/private-folder.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"
import { hasEnded, readIdentity } from "../../process/process-identity.ts"
import { StoreError } from "../../store/errors.ts"
import { acquireLock } from "../../store/lock.ts"
import type { Db } from "../../store/open.ts"
import { listLeasedBlocks } from "../rows/ports.ts"
import type { PortBlock } from "../rules/ports.ts"

/** By home. Another version of the program may have written the file. */
const Holders = z.record(
  z.string(),
  z.object({
    pid: z.int(),
    identity: z.string().optional(),
    blocks: z.array(z.object({ first: z.int(), count: z.int() })),
  }),
)
type Holders = z.infer<typeof Holders>

/** The same for all programs of the user, whatever TMPDIR and HOME are. */
const FOLDER = join("/tmp", `coppice-${process.geteuid?.()}`)
/** The lock is held for as long as it takes to read and write a small file. */
const LOCK_WAIT = { timeoutMs: 2_000, pollMs: 5 }

/**
 * Reserves a block for this process on the machine, with all other leases of its home.
 *
 * @param db where the block is already leased to a task of `home`.
 * @returns false when a running home has one of its ports.
 */
export async function holdOnMachine(
  db: Db,
  home: string,
  block: PortBlock,
  folder = FOLDER,
): Promise<boolean> {
  if (!isOurs(folder)) return true
  try {
    using _ = await acquireLock(join(folder, "ports.lock"), LOCK_WAIT)
    const file = join(folder, "ports.json")
    const others = Object.entries(read(file)).filter(
      ([of, holder]) => of !== home && isAlive(holder),
    )
    if (others.some(([, { blocks }]) => blocks.some((other) => overlap(other, block)))) return false
    const { pid } = process
    const mine = { pid, identity: readIdentity(pid), blocks: listLeasedBlocks(db) }
    writeWhole(file, JSON.stringify({ ...Object.fromEntries(others), [home]: mine }))
    return true
  } catch (error) {
    // The holder of the lock has been stopped, or the disk is full. Without the shared file we go on: a
    // port that is taken is found out when a program listens on it.
    if (error instanceof StoreError || (error as NodeJS.ErrnoException).code) return true
    throw error
  }
}

/** Another user may have created the folder. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folderFault(lstatSync(folder), process.geteuid?.()) === undefined
  } catch {
    return false
  }
}

function read(file: string): Holders {
  try {
    return Holders.parse(JSON.parse(findPlain(file)?.toString() ?? "{}"))
  } catch {
    return {} // there is none yet, or it has another format
  }
}

const isAlive = ({ pid, identity }: Holders[string]): boolean =>
  identity !== undefined && !hasEnded({ pid, identity })

const overlap = (one: PortBlock, other: PortBlock): boolean =>
  one.first < other.first + other.count && other.first < one.first + one.count
