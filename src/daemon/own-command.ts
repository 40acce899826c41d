/**
 * Where agents find `coppice`: a folder at the end of their PATH, with a command that is this very
 * program. One that the user has installed goes before it.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"

/** @returns the folder. */
export function writeOwnCommand(stateDir: string): string {
  const folder = join(stateDir, "bin")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const program = [process.execPath, process.argv[1] ?? ""].map(quote).join(" ")
  const path = join(folder, "coppice")
  // Renamed into place: an agent that a dead daemon left may be starting it.
  writeFileSync(`${path}.new`, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o700 })
  renameSync(`${path}.new`, path)
  return folder
}

/**
 * The PATH with the folder at its end. A folder that PATH cannot name is left out: of `/a:b/bin` its
 * second half would be a folder of the agent's worktree, which anybody fills.
 */
export function withCommand(path: string | undefined, folder: string): { readonly PATH?: string } {
  if (folder.includes(delimiter)) return {}
  return { PATH: path ? `${path}${delimiter}${folder}` : folder }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
