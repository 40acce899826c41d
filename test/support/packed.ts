/** The package as users get it: built and packed from the working copy, installed without a registry. */
import { execFileSync, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { delimiter, dirname, extname, join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../..")
const PATH = [dirname(process.execPath), join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(
  delimiter,
)
/** More than this hangs. */
export const NPM_MS_MAX = 5 * 60_000

export type Installed = {
  /** The folder whose node_modules has the package. */
  readonly prefix: string
  /** Variables for npm: its PATH, a cache of its own, and no registry. */
  readonly env: Readonly<Record<string, string>>
}

/** @param folder an empty one. @returns the paths of all packages, by the ends of their names. */
export function makePackages(folder: string): ReadonlyMap<string, string> {
  const copy = clone(join(folder, "clone"))
  const packages = join(folder, "packages")
  const made = spawnSync(process.execPath, ["scripts/package/main.ts", packages], {
    cwd: copy,
    env: environment(),
    encoding: "utf8",
  })
  if (made.status !== 0) throw new Error(`packaging failed\n${made.stdout}${made.stderr}`)
  const files = readdirSync(packages).map((name) => join(packages, name))
  return new Map(files.map((file) => [extname(file), file]))
}

/** Packs the working copy and installs it. @param folder an empty one. */
export function installPackage(folder: string): Installed {
  npm(clone(join(folder, "clone")), environment(), "pack", "--pack-destination", folder)
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  return installTarball(folder, join(folder, tarball!))
}

/** @param folder gets the folder `installed`, and npm's cache. */
export function installTarball(folder: string, tarball: string): Installed {
  const prefix = join(folder, "installed")
  mkdirSync(prefix)
  writeFileSync(join(prefix, "package.json"), '{ "private": true }\n')
  const env = { PATH, npm_config_cache: join(folder, "npm"), npm_config_offline: "true" }
  npm(prefix, { ...environment(), ...env }, "install", "--no-audit", "--no-fund", tarball)
  return { prefix: realpathSync(prefix), env }
}

/** The working copy as a clone would have it, with the packages that are installed already. */
function clone(copy: string): string {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const files = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" }).split("\0")
  for (const file of files) {
    if (file !== "" && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file))
  }
  // One link per package, not one to their folder: an `npm ci` in the clone empties that folder.
  const packages = join(ROOT, "node_modules")
  mkdirSync(join(copy, "node_modules"))
  for (const name of readdirSync(packages))
    symlinkSync(join(packages, name), join(copy, "node_modules", name))
  return copy
}

function npm(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): void {
  const options = { cwd, env, encoding: "utf8", timeout: NPM_MS_MAX } as const
  const { status, stdout, stderr } = spawnSync("npm", args, options)
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed\n${stdout}${stderr}`)
}

/** With the user's npm and its configuration, but without what an npm that runs us exported. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))
  return { ...Object.fromEntries(inherited), PATH }
}
