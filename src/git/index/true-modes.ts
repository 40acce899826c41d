/**
 * Settings by which git sees links, programs and names for what they are.
 *
 * `core.fileMode=false` and `core.symlinks=false` tell git that the file system knows neither, and
 * `core.ignoreCase` that `Name` and `name` are one file. Where that is not so (an agent can set them
 * too, or the repository was copied from another system), they hide work, and let a gate test what
 * no commit holds.
 */
import { lstatSync, readdirSync } from "node:fs"
import { chmod, lstat, mkdtempDisposable, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isOn, listConfig, type Setting } from "../repository/config.ts"

type Settings = Readonly<Record<string, string>>

/** What is configured of how files are checked out in a worktree: sparsely, and with which modes. */
export type CheckoutConfig = readonly Setting[]

/** Matches the keys of it, for {@link listConfig}. */
export const CHECKOUT_KEYS = "core\\.(filemode|symlinks|ignorecase|sparsecheckout)"

export const readCheckoutConfig = (cwd: string): Promise<CheckoutConfig> =>
  listConfig(cwd, `^${CHECKOUT_KEYS}$`)

/** By the key in git's own spelling: the name to set, and whether a folder can hold such a thing. */
const PROBES = {
  "core.filemode": { name: "core.fileMode", isHeld: holdsModes },
  "core.symlinks": { name: "core.symlinks", isHeld: holdsLinks },
} as const

/**
 * What to overrule in the worktree whose root is `cwd`; undefined: nothing, as is usual.
 *
 * The file system is asked by a folder that is there for an instant.
 *
 * @param config where the caller has just read it.
 */
export async function trueModes(
  cwd: string,
  config?: CheckoutConfig,
): Promise<Settings | undefined> {
  const set = config ?? (await readCheckoutConfig(cwd))
  const keys = Object.keys(PROBES) as (keyof typeof PROBES)[]
  const suspects = keys.filter((key) => isOn(set, key) === false)
  const names = namesOf(cwd, set)
  if (suspects.length === 0) return names
  await using probe = await mkdtempDisposable(join(cwd, ".coppice-probe-"))
  const settings: Record<string, string> = { ...names }
  for (const key of suspects)
    if (await PROBES[key].isHeld(probe.path)) settings[PROBES[key].name] = "true"
  return settings
}

/** What of it is about names; nothing is written for that, so also for a user's own checkout. */
export async function trueNames(cwd: string): Promise<Settings> {
  return namesOf(cwd, await listConfig(cwd, "^core\\.ignorecase$")) ?? {}
}

function namesOf(cwd: string, set: CheckoutConfig): Settings | undefined {
  const isWrong = isOn(set, "core.ignorecase") === true && tellsNamesApart(cwd)
  return isWrong ? { "core.ignoreCase": "false" } : undefined
}

/** Whether `.GIT` is not the `.git` that every worktree has, nor another name for it that somebody made. */
function tellsNamesApart(cwd: string): boolean {
  const [one, other] = [".git", ".GIT"].map((name) =>
    lstatSync(join(cwd, name), { throwIfNoEntry: false }),
  )
  return one !== undefined && (one.ino !== other?.ino || readdirSync(cwd).includes(".GIT"))
}

async function holdsModes(folder: string): Promise<boolean> {
  const path = join(folder, "file")
  await writeFile(path, "")
  const modes = []
  for (const mode of [0o644, 0o755]) {
    await chmod(path, mode)
    modes.push((await lstat(path)).mode & 0o100)
  }
  return modes[0] === 0 && modes[1] !== 0
}

async function holdsLinks(folder: string): Promise<boolean> {
  const path = join(folder, "link")
  return await symlink("nowhere", path).then(
    async () => (await lstat(path)).isSymbolicLink(),
    () => false, // the file system knows no links
  )
}
