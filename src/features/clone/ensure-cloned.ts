/**
 * Clones the repository of a task if its folder does not exist yet.
 *
 * The clone goes to a temporary folder and is renamed when complete. So a folder with the final
 * name is always whole, however the daemon died. An existing folder is never touched. A clone ends
 * with its daemon.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, rename } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import type { RepoConfig } from "../../config/config.ts"
import { CloneError, DaemonError } from "../../kernel/errors.ts"
import { cloneRepository } from "../../kernel/git/change/clone.ts"
import { findGitDir } from "../../kernel/git/start/git-dir.ts"
import type { Home } from "../../kernel/home.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { sweepTrash } from "../../kernel/workspaces/removal.ts"
import { addTrash } from "../../kernel/workspaces/rows/trash.ts"

/** Long enough for a very large repository on a slow line. */
const CLONE_TIMEOUT_MS = 60 * 60_000

/** Clones under way, by path; a second request waits for the first. */
const underWay = new Map<string, Promise<void>>()

type Cloning = Pick<Home, "home" | "db" | "world" | "ending">

/**
 * @throws {DaemonError} `repo.path_taken` (user) when something else is there.
 * @throws {CloneError} (world) when the clone fails now.
 */
export async function ensureCloned(fleet: Cloning, repo: RepoConfig): Promise<void> {
  const path = resolve(fleet.home, repo.path)
  const found = await inspectPath(path)
  if (!repo.clone || found === "repository") return
  if (found === "taken") throw taken(path)
  const cloning =
    underWay.get(path) ?? clone(fleet, repo, path).finally(() => underWay.delete(path))
  underWay.set(path, cloning)
  await cloning
}

/** Settles when no clone is under way any more. */
export async function untilNoClone(): Promise<void> {
  await Promise.allSettled(underWay.values())
}

/** An empty folder counts as nothing. */
async function inspectPath(path: string): Promise<"nothing" | "repository" | "taken"> {
  if (findGitDir(path) || existsSync(join(path, "HEAD"))) return "repository"
  try {
    return (await readdir(path)).length === 0 ? "nothing" : "taken"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "nothing" : "taken"
  }
}

async function clone(fleet: Cloning, repo: RepoConfig, path: string): Promise<void> {
  const { name, target: branch, clone } = repo
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const random = randomBytes(6).toString("hex")
  const temporary = join(folder, `${basename(path)}.coppice-clone-${random}`)
  await sweep(fleet, path)
  addTrash(fleet.db, { path: temporary, repo: path }) // until it gets its final name
  const { url = "", depth } = clone ?? {}
  const network = { timeoutMs: CLONE_TIMEOUT_MS, signal: fleet.ending }
  try {
    const cloned = await cloneRepository(folder, { url, depth, path: temporary, branch, network })
    if (cloned.kind !== "cloned")
      throw new CloneError(name, cloned.kind === "failed" ? cloned.message : "it took too long")
    await moveInto(path, temporary)
  } finally {
    await sweep(fleet, path)
  }
  appendEvent(
    fleet.db,
    { type: "repo.cloned", task: null, data: { name, path } },
    fleet.world.nowMs(),
  )
}

/** A rename replaces an empty folder, and nothing else. */
async function moveInto(path: string, temporary: string): Promise<void> {
  try {
    await rename(temporary, path)
  } catch (error) {
    const isThere = (await inspectPath(path)) === "repository" // another daemon may have been faster
    if (!isThere) throw (await inspectPath(path)) === "taken" ? taken(path) : error
  }
}

/** Deletes the temporary folders, recorded in the store, of interrupted clones. */
async function sweep({ db }: Cloning, path: string): Promise<void> {
  await sweepTrash({ db, deleting: new AbortController().signal }, path)
}

function taken(path: string): DaemonError {
  return new DaemonError("repo.path_taken", `${path} exists already, and is not a repository.`, [
    "Move it away: Coppice never clones over existing files.",
    "Or set `working_directory.root` of the agent in coppice.yml to another folder.",
  ])
}
