/**
 * Refuses files that another user may have written: a home, its coppice.yml and its repository.
 *
 * The rule is git's own, so git's `safe.directory` counts here too. Beyond git's rule, it refuses a
 * folder that every user can write.
 *
 * @see https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
 */

import { dirname } from "node:path"
import { AppError } from "../../base/errors.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import type { Env } from "../../config/substitute.ts"
import { fs } from "./node-builtins.ts"

/** The home, or its configuration, belongs to another user, or every user can write it. */
class HomeForeignError extends AppError {
  /** @param fault continues the path. @param folder a person may declare safe. */
  constructor(path: string, fault: string, folder: string) {
    const message = `${path} ${fault}: Coppice runs nothing that other users may have written.`
    super("home.foreign", "user", message, {
      hints: [
        `If you trust it: \`git config --global --add safe.directory ${shellWord(folder)}\`.`,
        "Otherwise make it your own: `chown`, or `chmod o-w`.",
      ],
    })
  }
}

/** @param paths of files and folders, missing ones are skipped. @throws HomeForeignError */
export function refuseForeign(paths: readonly (string | null | undefined)[], env: Env): void {
  for (const path of new Set(paths)) {
    const found = path ? fs.statSync(path, { throwIfNoEntry: false }) : undefined
    const fault = found && faultOf(found, env)
    if (!path || !fault) continue
    const folder = found.isDirectory() && !path.endsWith("/.git") ? path : dirname(path)
    if (!isDeclaredSafe(folder, env)) throw new HomeForeignError(path, fault, folder)
  }
}

const WRITABLE_BY_ALL = 0o002

function faultOf({ uid, mode }: { uid: number; mode: number }, env: Env): string | undefined {
  const mine = process.geteuid?.()
  // Like git: after sudo, root may use the files of the original user.
  const owners = mine === 0 ? [0, Number(env["SUDO_UID"] ?? 0)] : [mine]
  if (mine !== undefined && !owners.includes(uid)) return `belongs to another user (uid ${uid})`
  return (mode & WRITABLE_BY_ALL) === 0 ? undefined : "can be written by every user"
}

/** Only the configuration of user and system counts, never that of the repository. */
function isDeclaredSafe(folder: string, env: Env): boolean {
  let safe = false
  for (const value of listSafe(env)) {
    if (value === "") safe = false
    else if (value === "*" || value === folder) safe = true
    else if (value.endsWith("/*") && folder.startsWith(value.slice(0, -1))) safe = true
  }
  return safe
}

function listSafe(env: Env): string[] {
  const { execFileSync } = process.getBuiltinModule("node:child_process")
  const args = ["config", "--null", "--show-scope", "--type=path", "--get-all", "safe.directory"]
  const own = Object.entries(env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|COMMON_DIR)$/.test(name))
  try {
    const said = execFileSync("git", args, {
      cwd: "/",
      env: Object.fromEntries(own) as NodeJS.ProcessEnv,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
    const fields = said.split("\0")
    return fields.filter(
      (_, at) => at % 2 === 1 && !/^(local|worktree)$/.test(fields[at - 1] ?? ""),
    )
  } catch {
    return [] // git lists none
  }
}
