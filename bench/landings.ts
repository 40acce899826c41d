/** Branches to land in a generated repository, the program that lands them, and how it is done by hand. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { Oid } from "../src/base/ids.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { Forked } from "../test/support/forked.ts"
import type { Place } from "./figure.ts"
import { GIT_ENV, type Git, generateRepo, type History } from "./generated-repo.ts"
import { addQueuedWork, type Work } from "./task-rows.ts"

export const COMMITS = 5
/** How far the target has moved on since the branches began. */
export const COMMITS_BEHIND = 10
const FILES_PER_COMMIT = 3
const FILES_PER_BRANCH = COMMITS * FILES_PER_COMMIT

const IN_WORKTREE = `set -e
git worktree add --quiet "$1" "$2"
git -C "$1" rebase --quiet main
git update-ref refs/heads/main "$2" main
git worktree remove "$1"`
const UNTIL_CONFLICT = `git worktree add --quiet "$1" "$2" && git -C "$1" rebase --quiet main 2>/dev/null`
const AFTER_CONFLICT = `git -C "$1" rebase --abort && git worktree remove --force "$1"`

/** Landings before the measurement, so that the code is compiled. */
export const LANDED_AHEAD = 20
export const BY_HAND = "git worktree add, rebase, update-ref, worktree remove"

export type Branches = {
  readonly files: number
  /** How many there are; each is landed once. */
  readonly count: number
  /** Whether each changes, in its first commit, what the target has changed since. */
  readonly conflicting?: boolean
}

export class Landings {
  readonly #path: string
  readonly #worktree: string
  readonly #git: Git
  readonly #main: Oid
  readonly #base: Oid

  constructor({ folder }: Pick<Place, "folder">, branches: Branches) {
    this.#path = join(folder, `repo-${branches.files}`)
    this.#worktree = join(folder, "by-hand")
    this.#git = generateRepo(this.#path, branches.files, histories(branches))
    this.#git("checkout", "--quiet", "-b", "elsewhere", "main")
    this.#main = this.#commitOf("main")
    this.#base = this.#commitOf(`main~${COMMITS_BEHIND}`)
  }

  /** The target as it was before anything landed, checked out or not. */
  reset({ isCheckedOut = false } = {}): void {
    if (isCheckedOut) this.#git("checkout", "--quiet", "-f", "-B", "main", this.#main)
    else this.#git("update-ref", "refs/heads/main", this.#main)
  }

  /** Leaves nothing but one branch to land in the store at `path`. */
  queue(path: string, branch: string): void {
    const db = openDb(path)
    db.exec("delete from tasks")
    addQueuedWork(db, this.work(branch))
    db.close()
  }

  work(branch: string): Work {
    return { path: this.#path, branch, base: this.#base, head: this.#commitOf(branch) }
  }

  landByHand(branch: string): void {
    this.#sh(IN_WORKTREE, branch)
  }

  /** @returns how long it took until the conflict was there, in ms. */
  conflictByHand(branch: string): number {
    const startMs = performance.now()
    let isConflict = false
    try {
      this.#sh(UNTIL_CONFLICT, branch)
    } catch {
      isConflict = true
    }
    const timeMs = performance.now() - startMs
    if (!isConflict) throw new Error(`${branch} does not conflict`)
    this.#sh(AFTER_CONFLICT, branch)
    return timeMs
  }

  #sh(script: string, branch: string): void {
    const args = ["-c", script, "sh", this.#worktree, branch]
    execFileSync("sh", args, { cwd: this.#path, env: GIT_ENV, stdio: "ignore" })
  }

  #commitOf(name: string): Oid {
    return this.#git("rev-parse", name) as Oid
  }
}

/** A process that lands on request, with its own clock. */
export class Lander implements AsyncDisposable {
  readonly #lander: Forked

  constructor(program: "lander.ts" | "queue-lander.ts", { disk }: Pick<Place, "disk">) {
    this.#lander = new Forked(join(import.meta.dirname, program), [join(disk, "coppice.db")])
  }

  /** @returns how long it took, in ms. @throws when it came to anything but this state. */
  async land(work: Work | readonly Work[], state: string): Promise<number> {
    const told = await this.#lander.ask<{ readonly state: string; readonly timeMs: number }>(work)
    if (told.state !== state) throw new Error(`the landing is ${told.state}, not ${state}`)
    return told.timeMs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lander[Symbol.asyncDispose]()
  }
}

/** Branches of the same kind for both, each changing files of its own where there are enough. */
function histories({ files, count, conflicting = false }: Branches): History {
  const first = COMMITS_BEHIND * FILES_PER_COMMIT
  const room = Math.floor((files - first) / FILES_PER_BRANCH)
  const commits = (number: number, start: number) =>
    Array.from({ length: number }, (_, n) =>
      Array.from({ length: FILES_PER_COMMIT }, (_, file) => start + FILES_PER_COMMIT * n + file),
    )
  const names = ["ours", "theirs"].flatMap((side) =>
    Array.from({ length: count }, (_, n) => `${side}-${n}`),
  )
  const branches = names.map((name, n) => {
    const [begin = [], ...rest] = commits(COMMITS, first + FILES_PER_BRANCH * (n % room))
    return [name, [conflicting ? [0, 1, 2] : begin, ...rest]]
  })
  return { main: commits(COMMITS_BEHIND, 0), ...Object.fromEntries(branches) }
}
