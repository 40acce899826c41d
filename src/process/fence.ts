/**
 * The fence around a contained program: the paths that it sees. A sandbox and a container are two
 * ways to put it up (sandbox.ts, container.ts).
 */
import { existsSync, lstatSync, realpathSync, unlinkSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import type { ChildExit } from "./owned-child.ts"

export type Launch = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Ends what the program started elsewhere, if its own end has not done that. */
  readonly cleanUp?: (exit: ChildExit) => Promise<void>
}

/** The paths that a contained program sees, all absolute, and whether it has a network. */
export type Fence = {
  /** The folder that it sees as its HOME; null: an empty one, which is removed when it ends. */
  readonly home: string | null
  /** Folders that it can change. */
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Folders in HOME that it can change, and that others see too. */
  readonly caches: readonly { readonly from: string; readonly at: string }[]
  /** Parts of `writable` that it can only read, with other contents than the machine's. */
  readonly fixed: readonly { readonly from: string; readonly at: string }[]
  readonly network: boolean
}

/** Variables that name a file of certificates. */
const CERTIFICATES =
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO)$/

export const certificatesOf = (env: Launch["env"]): string[] =>
  Object.entries(env).flatMap(([name, path]) =>
    CERTIFICATES.test(name) && isAbsolute(path) ? [path] : [],
  )

/**
 * The paths that it reads: these and the fence's, without what it can write anyway. No link that a
 * program left in its HOME stays on the way to them.
 */
export function readableOf(fence: Fence, home: string | undefined, named: readonly string[]) {
  const { writable } = fence
  const readable = [...named, ...fence.readable.map(packagesOf)].filter(
    (path) => !writable.some((other) => isInside(path, other)),
  )
  const caches = fence.caches.map(({ at }) => at)
  for (const path of [...readable, ...writable, ...caches]) clearWay(path, home, fence.home)
  return readable
}

/**
 * Bubblewrap follows a link where it mounts, also out of the sandbox, and a program may have left
 * one in its HOME. So no link stays on the way to what is mounted there.
 */
function clearWay(path: string, at: string | undefined, from: string | null): void {
  if (at === undefined || from === null || !isInside(path, resolve(at))) return
  const names = path.slice(resolve(at).length + 1).split("/")
  for (const n of names.keys()) {
    const part = join(from, ...names.slice(0, n + 1))
    if (lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(part)
  }
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** A program of a package of npm needs the packages around it. */
export const packagesOf = (path: string): string =>
  /^.*?\/node_modules(?=\/)/.exec(path)?.[0] ?? path

export function realPath(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined
}
