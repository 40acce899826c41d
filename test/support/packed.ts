/** The package as users get it: built and packed from the working copy, installed elsewhere. */
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
import { delimiter, dirname, join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../..")
/** A cold cache and a slow registry; more than this hangs. */
export const NPM_MS_MAX = 5 * 60_000

/** @param folder an empty one. @returns the folder whose node_modules holds the package. */
export function installPackage(folder: string): string {
  const tarball = pack(clone(join(folder, "clone")), folder)
  const prefix = join(folder, "installed")
  mkdirSync(prefix)
  writeFileSync(join(prefix, "package.json"), '{ "private": true }\n')
  npm(prefix, "install", "--prefer-offline", "--no-audit", "--no-fund", tarball)
  return realpathSync(prefix)
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

/** @returns the tarball's path. */
function pack(copy: string, destination: string): string {
  npm(copy, "pack", "--pack-destination", destination)
  const [tarball] = readdirSync(destination).filter((name) => name.endsWith(".tgz"))
  return join(destination, tarball!)
}

/** The user's npm and its configuration; what an npm that runs us exported is dropped. */
function npm(cwd: string, ...args: string[]): void {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = { ...Object.fromEntries(inherited), PATH }
  const options = { cwd, env, encoding: "utf8", timeout: NPM_MS_MAX } as const
  const { status, stdout, stderr } = spawnSync("npm", args, options)
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed\n${stdout}${stderr}`)
}
