/**
 * Chooses where the tests of a run keep their repositories and databases, and clears it at the end.
 *
 * In memory where there is plenty: git and SQLite wait for the disk at every write. Else, and where
 * the user has chosen a folder, it is the system's.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MEMORY = "/dev/shm"
/** Many times what a run needs. A container's is often 64 MB, and memory has other uses. */
const ROOM_BYTES_MIN = 4 * 1024 ** 3

let folder: string | undefined

/** Called by vitest before it starts workers, which inherit the variable. */
export function setup(): void {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return
  folder = mkdtempSync(join(MEMORY, "coppice-tests-"))
  process.once("exit", teardown) // a signal ends a run without a word
  if (runsPrograms(folder)) process.env["TMPDIR"] = folder
}

export function teardown(): void {
  if (folder !== undefined) clear(folder)
}

/** What cannot be removed is told: it is no reason for a run to fail. */
export function clear(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    console.warn(`${path} stays: ${(error as Error).message}`)
  }
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
