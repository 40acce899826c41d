/**
 * The PATH on which the daemon finds `git`, `bwrap` and other programs: without folders where work of
 * agents is checked out. `npx` puts the `node_modules/.bin` of the current folder first on it, and a landed
 * change can put a `git` there. A relative or empty entry would start at any folder in which a program starts.
 */
import { realpathSync } from "node:fs"
import { delimiter, isAbsolute } from "node:path"
import type { LiveConfig } from "../config/live/live-config.ts"
import { ifExists } from "../kernel/git/start/git-dir.ts"
import { isAgents } from "../kernel/git/start/real-place.ts"
import { pathOfRepo } from "../kernel/home.ts"

const CLOSED = ["EACCES", "EPERM"]
/** An empty PATH would mean the current folder. */
const SYSTEM_PATH = "/usr/bin:/bin"

/** @param repos as in {@link isAgents}. */
export function withoutWork(path: string, repos: readonly string[]): string {
  const isOwn = (folder: string) => {
    if (!isAbsolute(folder)) return false
    const real = ifExists(() => realpathSync(folder), CLOSED) ?? folder
    // Work of agents is never closed to this user.
    return !ifExists(() => isAgents(folder, repos) || isAgents(real, repos), CLOSED)
  }
  return path.split(delimiter).filter(isOwn).join(delimiter) || SYSTEM_PATH
}

/** Takes the folders with work of agents off this process's own PATH. @returns the configuration. */
export function leaveWorkOffPath(home: string, config: LiveConfig): LiveConfig {
  const places = config.current.repos.map((repo) => pathOfRepo(home, repo))
  process.env["PATH"] = withoutWork(process.env["PATH"] ?? "", places)
  return config
}
