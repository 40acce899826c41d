/** The fence around a contained program: the paths that it sees. sandbox.ts and container.ts each build it. */
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  unlinkSync,
} from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { shellWord } from "../../base/text/shell-word.ts"
import { UnstartableError } from "./errors.ts"
import type { ChildExit } from "./owned-child.ts"

export type Launch = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** How the program ended, from the end of the process that `command` starts. Default: the same. */
  readonly readExit?: (exit: ChildExit) => ChildExit
  /** Ends what the program started elsewhere, if that outlived it. It gets the exit of the program. */
  readonly cleanUp?: (exit: ChildExit) => Promise<void>
}

/** The paths that a contained program sees, all absolute, and whether it has a network. */
export type Fence = {
  /** The folder that it sees as its HOME. Null: an empty one, which is removed when the program ends. */
  readonly home: string | null
  /** Folders that it can change. */
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Folders in HOME that it can change, and that others see too. */
  readonly caches: readonly { readonly from: string; readonly at: string }[]
  /** Paths in `writable` that it can only read. They show other contents than the machine's. */
  readonly fixed: readonly { readonly from: string; readonly at: string }[]
  readonly network: boolean
  /** The path without links. Undefined: nothing is there, or a link of an agent led to it. */
  findReal(path: string): string | undefined
}

/** A path that the program sees, and what is there: a path without links. */
export type Shown = { readonly at: string; readonly from: string; readonly id: string }

export type Mounts = {
  readonly readable: readonly Shown[]
  readonly writable: readonly Shown[]
  /**
   * A script for inside of the fence. It ends with 126, unless each path shows what was there when we looked: a
   * landing may have put a link in its place before the mount.
   */
  readonly check: string
  /** A condition for the same shell: it finds the program that `check` needs. */
  readonly canCheck: string
}

/** Root could change the kernel's settings here, for the whole machine and without a capability. */
export const KERNEL = ["bus", "fs", "irq", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`)

/** Variables that name a file of certificates. */
const CERTIFICATES =
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO)$/

/** The program, and what it links to. */
export const programAt = (command: string, { findReal }: Pick<Fence, "findReal">): string[] =>
  isAbsolute(command) ? [command, findReal(command) ?? command] : []

/** The paths, with the packages around each, and the files of certificates that variables name. */
export function withCertificates(paths: readonly string[], env: Launch["env"]): string[] {
  const certificates = Object.entries(env).flatMap(([name, path]) =>
    CERTIFICATES.test(name) && isAbsolute(path) ? [path] : [],
  )
  return [...new Set([...paths.map(packagesOf), ...certificates])]
}

/**
 * Finds what to mount, and removes each link that an earlier program left in HOME on the way to it.
 *
 * @returns `readable`: `named` and the fence's, except those in a writable path.
 * @throws {UnstartableError} if a writable path is not there.
 */
export function prepareMounts(
  fence: Fence,
  home: string | undefined,
  named: readonly string[],
): Mounts {
  const isWritable = (path: string) => fence.writable.some((other) => isInside(path, other))
  const find = (at: string): Shown[] => {
    const from = fence.findReal(at)
    const id = from === undefined ? undefined : identify(from)
    return from === undefined || id === undefined ? [] : [{ at, from, id }]
  }
  const writable = fence.writable.flatMap(find)
  const lost = fence.writable.find((path) => !writable.some(({ at }) => at === path))
  if (lost) throw new UnstartableError(`no fence can show ${lost}: ${NOT_THERE}`)
  const readable = [...named, ...fence.readable.map(packagesOf)].filter((path) => !isWritable(path))
  const shown = { readable: readable.flatMap(find), writable }
  const caches = fence.caches.map(({ at }) => at)
  for (const path of [...readable, ...fence.writable, ...caches])
    removeLinks(path, home, fence.home)
  const isFixed = (path: string) => fence.fixed.some(({ at }) => at === path)
  const all = [...shown.readable, ...shown.writable].filter(({ at }) => !isFixed(at))
  return { ...shown, check: refuseOthers(all), canCheck: FINDS_STAT }
}

const NOT_THERE = "it is not there, or a symbolic link of an agent leads to it"

/** Linux's O_PATH, which Node lacks: it opens a file for its name alone, so no pipe or device waits. */
const O_PATH = 0o10000000

/** Device and inode of what is at this path; undefined if a link leads there by now. Empty on other systems. */
function identify(path: string): string | undefined {
  if (process.platform !== "linux") return ""
  let fd: number | undefined
  try {
    fd = openSync(path, O_PATH)
    if (readlinkSync(`/proc/self/fd/${fd}`) !== path) return undefined
    const { dev, ino } = fstatSync(fd, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined // the file has gone since the look
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const REPLACED = "coppice: a path that this program sees was replaced while it started: try again"
/** Where Linux has `stat`; the last two are of NixOS and Guix. Agents cannot put one there. */
const STAT_PATH = "/usr/bin:/bin:/run/current-system/sw/bin:/run/current-system/profile/bin"
const FINDS_STAT = `PATH=${STAT_PATH} command -v stat > /dev/null`

function refuseOthers(shown: readonly Shown[]): string {
  if (shown.length === 0) return ":"
  const paths = shown.map(({ at }) => shellWord(at)).join(" ")
  // A path may be a link of an image. Wherever it leads inside, it must show what was there when we looked.
  const found = `PATH=${STAT_PATH} stat -L -c %d:%i -- ${paths}`
  const wanted = shown.map(({ id }) => id).join("\n")
  return `[ "$(${found})" = "${wanted}" ] || { ${FINDS_STAT} && echo "${REPLACED}" >&2; exit 126; }`
}

/** Bubblewrap would follow such a link when it mounts, even out of the sandbox. */
function removeLinks(path: string, at: string | undefined, from: string | null): void {
  if (at === undefined || from === null || !isInside(path, resolve(at))) return
  const names = path.slice(resolve(at).length + 1).split("/")
  for (const n of names.keys()) {
    const part = join(from, ...names.slice(0, n + 1))
    if (lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(part)
  }
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** The `node_modules` folder of a program from npm, since it needs the packages around it. */
const packagesOf = (path: string): string => /^.*?\/node_modules(?=\/)/.exec(path)?.[0] ?? path

export function realPath(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined
}

/** Options of bubblewrap that show what is there now, also behind a link: for paths of the system and of ours. */
export function readOnly(path: string): string[] {
  const real = realPath(path)
  return real === undefined ? [] : ["--ro-bind", real, path]
}
