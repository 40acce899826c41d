/**
 * Finds settings that make git see links, executable files and names as they are.
 *
 * `core.fileMode=false` and `core.symlinks=false` say that the file system lacks both;
 * `core.ignoreCase` says that `Name` and `name` are one file. An agent can set them, or they come
 * from another system. If they are wrong, they hide work, and a gate tests files that no commit
 * has.
 */
import { lstatSync, readdirSync } from "node:fs"
import { chmod, lstat, mkdtempDisposable, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isOn, listConfig, type Setting } from "./config.ts"

type Overrides = Readonly<Record<string, string>>

/** The configuration of a worktree's checkout: sparse or not, and with which modes. */
export type CheckoutConfig = readonly Setting[]

/** Matches its keys, for {@link listConfig}. */
export const CHECKOUT_KEYS = "core\\.(filemode|symlinks|ignorecase|sparsecheckout)"

export const readCheckoutConfig = (cwd: string): Promise<CheckoutConfig> =>
  listConfig(cwd, `^${CHECKOUT_KEYS}$`)

/** By git's lower-case key: the name to set, and a check of what a folder supports. */
const PROBES = {
  "core.filemode": { name: "core.fileMode", isSupported: supportsModes },
  "core.symlinks": { name: "core.symlinks", isSupported: supportsLinks },
} as const

/**
 * The settings to override in the worktree at `cwd`; undefined (the usual case) for none.
 *
 * Probes the file system with a folder that exists for an instant.
 *
 * @param config if the caller has just read it.
 */
export async function trueModes(
  cwd: string,
  config?: CheckoutConfig,
): Promise<Overrides | undefined> {
  const set = config ?? (await readCheckoutConfig(cwd))
  const keys = Object.keys(PROBES) as (keyof typeof PROBES)[]
  const suspects = keys.filter((key) => isOn(set, key) === false)
  const names = namesOf(cwd, set)
  if (suspects.length === 0) return names
  await using probe = await mkdtempDisposable(join(cwd, ".coppice-probe-"))
  const settings: Record<string, string> = { ...names }
  for (const key of suspects)
    if (await PROBES[key].isSupported(probe.path)) settings[PROBES[key].name] = "true"
  return settings
}

/** The part about names. It writes nothing, so it also serves a user's own checkout. */
export async function trueNames(cwd: string): Promise<Overrides> {
  return namesOf(cwd, await listConfig(cwd, "^core\\.ignorecase$")) ?? {}
}

function namesOf(cwd: string, set: CheckoutConfig): Overrides | undefined {
  const isWrong = isOn(set, "core.ignorecase") === true && tellsNamesApart(cwd)
  return isWrong ? { "core.ignoreCase": "false" } : undefined
}

/** Whether `.GIT` is another file than `.git`, and not just a second link to it. */
function tellsNamesApart(cwd: string): boolean {
  const [one, other] = [".git", ".GIT"].map((name) =>
    lstatSync(join(cwd, name), { throwIfNoEntry: false }),
  )
  return one !== undefined && (one.ino !== other?.ino || readdirSync(cwd).includes(".GIT"))
}

async function supportsModes(folder: string): Promise<boolean> {
  const path = join(folder, "file")
  await writeFile(path, "")
  const modes = []
  for (const mode of [0o644, 0o755]) {
    await chmod(path, mode)
    modes.push((await lstat(path)).mode & 0o100)
  }
  return modes[0] === 0 && modes[1] !== 0
}

async function supportsLinks(folder: string): Promise<boolean> {
  const path = join(folder, "link")
  return await symlink("nowhere", path).then(
    async () => (await lstat(path)).isSymbolicLink(),
    () => false, // the file system has no links
  )
}
