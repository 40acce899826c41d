/**
 * Chooses where the tests of a run keep their repositories and databases, and clears it at the end.
 *
 * In memory where there is plenty: git and SQLite wait for the disk at every write. Else, and where
 * the user has chosen a folder, it is the system's.
 */
import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

const MEMORY = "/dev/shm"
/** Many times what a run needs. A container's is often 64 MB, and memory has other uses. */
const ROOM_BYTES_MIN = 4 * 1024 ** 3

/** Followed by the process whose it is: who is killed takes nothing away, so the next run does. */
const NAME = "coppice-tests-"

let folder: string | undefined

/** Called by vitest before it starts workers, which inherit the variable. */
export function setup(): void {
  if (process.env["TMPDIR"] !== undefined) return
  for (const left of listLeft()) clear(left)
  if (!hasRoom()) return
  folder = mkdtempSync(join(MEMORY, `${NAME}${processes()}-${process.pid}-`))
  process.once("exit", teardown) // a signal ends a run without a word
  if (runsPrograms(folder)) process.env["TMPDIR"] = folder
}

export function teardown(): void {
  if (folder !== undefined) clear(folder)
}

/** Reports folders that cannot be removed; they do not fail the run. */
export function clear(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    console.warn(`${path} stays: ${(error as Error).message}`)
  }
}

/** Of killed runs. Another container, which may share the memory, has other processes. */
function listLeft(): string[] {
  if (!existsSync(MEMORY)) return []
  const own = `${NAME}${processes()}-`
  const names = readdirSync(MEMORY).filter((one) => one.startsWith(own))
  const isLeft = (name: string) => !existsSync(`/proc/${name.slice(own.length).split("-")[0]}`)
  return names.filter(isLeft).map((name) => join(MEMORY, name))
}

/** Of which table a process id is one. */
function processes(): string {
  return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? ""
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES_MIN
  } catch {
    return false // there is none here
  }
}

/** Hooks, gates and set-ups are programs in the repositories: what is mounted `noexec` will not do. */
function runsPrograms(where: string): boolean {
  const program = join(where, "program")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
