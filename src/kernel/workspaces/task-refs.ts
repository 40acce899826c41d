/**
 * Names the refs of a task: `refs/coppice/<task>/…`, and `refs/coppice/rescue/<task>/…` and
 * `refs/coppice/rescue/landed/<task>/…`, which outlive it.
 *
 * Every home counts its tasks from 1, and two homes may use one repository. The first has the plain
 * names, for good; the tasks of any other one are below `home-<hash>/`. A file in the common git
 * directory names the first home. It is linked there complete, so exactly one wins.
 *
 * @see docs/adr/0034-refs-of-two-homes.md
 */
import { randomUUID } from "node:crypto"
import { link, open, rm } from "node:fs/promises"
import { join } from "node:path"
import type { TaskId } from "../../base/ids.ts"
import { fnv1a } from "../../base/text/hash.ts"
import { gitDir } from "../git/ask/rev-parse.ts"
import { commonDirOf } from "../git/start/git-dir.ts"
import { readPlainText } from "../process/plain-file.ts"

/** A task has a number within its home; anything else is identified by its place. */
export type Owner = {
  /** The home: two homes may use one repository. */
  readonly home: string
  readonly task: TaskId | "pool"
}

/** Hex digits: few homes share a repository, and people read it. */
const HASH_CHARS = 8
const FILE = "coppice.home"

/** Names the owner in messages. */
export const whose = ({ task }: Pick<Owner, "task">): string =>
  task === "pool" ? "a pool" : `task ${task}`

/** The prefix of the task's keep refs. @param repo the repository, or any worktree of it. */
export async function keepPrefix(repo: string, owner: Owner): Promise<string> {
  return `refs/coppice/${await nameOf(repo, owner)}`
}

/** Landed refs are nested under rescue refs, so that one glob finds both. */
export const SAVED = {
  rescue: "refs/coppice/rescue/",
  landed: "refs/coppice/rescue/landed/",
} as const

/** The prefix of its rescue refs: work that is nowhere else. */
export async function rescuePrefix(repo: string, owner: Owner): Promise<string> {
  return `${SAVED.rescue}${await nameOf(repo, owner)}`
}

/** The prefix of its landed refs: commits that are on their target under other ids. */
export async function landedPrefix(repo: string, owner: Owner): Promise<string> {
  return `${SAVED.landed}${await nameOf(repo, owner)}`
}

/**
 * Whether refs are this home's. @param folder `home-<hash>` that they are below; null: plain ones.
 */
export async function isFolderOf(
  repo: string,
  home: string,
  folder: string | null,
): Promise<boolean> {
  if (folder !== null) return folder === folderOf(home)
  return (read(await fileOf(repo)) ?? home) === home
}

async function nameOf(repo: string, { home, task }: Owner): Promise<string> {
  const first = await claimFirst(await fileOf(repo), home)
  return first === home ? `${task}` : `${folderOf(home)}/${task}`
}

const folderOf = (home: string): string => `home-${fnv1a(home).slice(0, HASH_CHARS)}`

const fileOf = async (repo: string): Promise<string> => join(commonDirOf(await gitDir(repo)), FILE)

/** @returns the home with the plain names: `home`, unless another one was first. */
async function claimFirst(path: string, home: string): Promise<string> {
  const found = read(path)
  if (found !== undefined) return found
  const draft = `${path}.${randomUUID()}`
  try {
    await using file = await open(draft, "wx")
    await file.writeFile(`${home}\n`)
    await file.sync()
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    await rm(draft, { force: true })
  }
  return read(path) ?? home
}

/** @throws {UnreadableFileError} */
const read = (path: string): string | undefined => readPlainText(path)?.trimEnd()
