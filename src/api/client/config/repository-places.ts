/**
 * The folders and repositories that the paths of coppice.yml lead to. A repository is known by its common git directory.
 *
 * Device and inode identify a folder. So a link, a name in another case and a second mount lead to the same
 * one. A path identifies a folder that is missing.
 */
import { basename, dirname, join, resolve } from "node:path"
import type { Place } from "../../../config/same-repository.ts"
import { fs } from "../node-builtins.ts"
import { lookUpRepository } from "../repository.ts"

/** Also remembers where each path led, because a link may lead elsewhere later. */
export class Places {
  readonly #home: string
  readonly #seen = new Map<string, { path: string; isCloned: boolean; place: Place }>()

  constructor(home: string) {
    this.#home = home
  }

  readonly locate = (path: string, isCloned: boolean): Place => {
    const key = `${isCloned} ${path}`
    const known = this.#seen.get(key)
    if (known) return known.place
    const place = locate(resolve(this.#home, path), isCloned)
    this.#seen.set(key, { path, isCloned, place })
    return place
  }

  haveMoved(): boolean {
    return [...this.#seen.values()].some(({ path, isCloned, place }) => {
      const now = locate(resolve(this.#home, path), isCloned)
      return now.folder !== place.folder || now.repository !== place.repository
    })
  }
}

/** @param path absolute. @param isCloned as in {@link Place}'s `Locate`. */
export function locate(path: string, isCloned: boolean): Place {
  const real = realPath(path)
  const folder = idOf(real)
  const isToCome = folder === real || (isCloned && isEmpty(real))
  const gitDir = isToCome ? undefined : findGitDir(real)
  return { folder, repository: gitDir === undefined ? folder : idOf(gitDir) }
}

/** Follows links as far as the path exists. */
function realPath(path: string): string {
  try {
    return fs.realpathSync.native(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** The path itself if nothing can be found there. */
function idOf(path: string): string {
  try {
    const { dev, ino } = fs.statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return path
  }
}

function isEmpty(path: string): boolean {
  try {
    return fs.readdirSync(path).length === 0
  } catch {
    return false
  }
}

function findGitDir(path: string): string | undefined {
  try {
    return lookUpRepository(path)?.gitDir
  } catch {
    return undefined // unreadable, and so for git
  }
}
