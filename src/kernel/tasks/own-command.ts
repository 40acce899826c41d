/**
 * Provides agents with `coppice`: a folder at the end of their PATH holds a command that starts
 * this very program. A `coppice` that the user has installed comes first.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { ownLauncher } from "../process/own-launcher.ts"

/** Names the program to use in place of the one that runs us, where that has another path. */
export const PROGRAM_VARIABLE = "COPPICE_PROGRAM"

/** @returns the folder. */
export function writeOwnCommand(stateDir: string): string {
  const folder = join(stateDir, "bin")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const program = `"\${${PROGRAM_VARIABLE}:-$program}"${ownLauncher()
    .map((path) => ` ${quote(path)}`)
    .join("")}`
  const path = join(folder, "coppice")
  // Renamed into place: an agent that a dead daemon left may be starting it.
  writeFileSync(
    `${path}.new`,
    `#!/bin/sh\nprogram=${quote(process.execPath)}\nexec ${program} "$@"\n`,
    { mode: 0o700 },
  )
  renameSync(`${path}.new`, path)
  return folder
}

/**
 * The PATH with the folder at its end. A folder that PATH cannot express is left out: the second
 * half of `/a:b/bin` would be a folder in the agent's worktree, where anyone may put programs.
 */
export function withCommand(path: string | undefined, folder: string): { readonly PATH?: string } {
  if (folder.includes(delimiter)) return {}
  return { PATH: path ? `${path}${delimiter}${folder}` : folder }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
