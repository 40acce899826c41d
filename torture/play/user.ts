/**
 * Plays the person who works in a checkout, and remembers their files.
 *
 * A file is in the ledger from the moment the user wrote it until they commit it, put it away or
 * remove it. The promise does not cover an editor's write in the very instant in which a branch
 * advances. So a file that changed while git's locks were held stays out of the ledger.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { ProcessOwner } from "../../src/kernel/process/owner.ts"
import { LINKED_BRANCH, type Scratch } from "../scratch.ts"
import { quote, runShell, type Said } from "../shell.ts"

const OWN_LOCKS = ["index.lock", "HEAD.lock"]
const LOCK_POLL_MS = 20
/** Two seconds: Coppice holds an index for far less. */
const LOCK_POLLS_MAX = 100

/** A commit of the user's, and the branch that they made it on. */
export type OwnCommit = { readonly oid: string; readonly branch: string; readonly patch: string }

/** The place where a user works. */
export type Place = {
  readonly repoName: "app" | "lib"
  /** The main worktree of the clone. */
  readonly repo: string
  /** The user's checkout: the main worktree, or a linked one. */
  readonly checkout: string
  /** Git's own folder of that checkout. */
  readonly gitDir: string
  /** The branch that they come back to. */
  readonly branch: string
  /** The notes of the agents that work in this repository. */
  readonly notes: string
}

/** The users of a torture: in the checkout of each clone, and in a linked worktree of the first. */
export function placesOf({ repo, lib, linked, notes, target }: Scratch): readonly Place[] {
  const git = join(repo, ".git")
  const app = { repoName: "app", repo, notes } as const
  const libNotes = join(notes, "lib")
  return [
    { ...app, checkout: repo, gitDir: git, branch: target },
    {
      repoName: "lib",
      repo: lib,
      checkout: lib,
      gitDir: join(lib, ".git"),
      branch: target,
      notes: libNotes,
    },
    { ...app, checkout: linked, gitDir: join(git, "worktrees/linked"), branch: LINKED_BRANCH },
  ]
}

export class User {
  readonly scratch: Scratch
  readonly place: Place
  readonly commits: OwnCommit[] = []
  /** Branches of theirs, by name; never the target. */
  readonly branches = new Set<string>()
  readonly stashes: string[] = []
  readonly worktrees = new Set<string>()
  readonly #owner: ProcessOwner
  readonly #files = new Map<string, string>()
  /** Written while git was working, so their expected content is unknown. */
  readonly unsure = new Set<string>()

  constructor(scratch: Scratch, place: Place, owner: ProcessOwner) {
    this.scratch = scratch
    this.place = place
    this.#owner = owner
  }

  /** Paths of the ledger. */
  get files(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** Types a line in the checkout. */
  type(script: string): Promise<Said> {
    return runShell(this.#owner, { script, cwd: this.place.checkout, env: this.scratch.env })
  }

  /** The output of a line, if it succeeds. */
  async ask(script: string): Promise<string | undefined> {
    const said = await this.type(script)
    return said.code === 0 ? said.output.trim() : undefined
  }

  /** Notes that the user made this commit, on that branch. */
  async own(oid: string, branch: string): Promise<void> {
    const asked = await this.ask(`git diff-tree -p --full-index ${oid} | git patch-id --stable`)
    this.commits.push({ oid, branch, patch: asked?.split(" ")[0] ?? "" })
  }

  /** Writes a file. @returns whether it counts as theirs from now on. */
  async write(path: string, text: string): Promise<boolean> {
    const file = join(this.place.checkout, path)
    if (existsSync(file) && !this.#files.has(path) && this.#isLocked()) return false
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    const hash = hashOf(file)
    const isQuiet = await this.#untilUnlocked()
    if (!isQuiet || hashOf(file) !== hash) {
      this.#files.delete(path)
      this.unsure.add(path)
      return false
    }
    this.unsure.delete(path)
    this.#files.set(path, hash ?? "")
    return true
  }

  /** Forgets a file that the user committed, put away or removed. */
  forget(path: string): void {
    this.#files.delete(path)
    this.unsure.delete(path)
  }

  /** Files of theirs that are not as they wrote them. */
  findChanged(): string[] {
    const { checkout } = this.place
    return this.files.filter((path) => hashOf(join(checkout, path)) !== this.#files.get(path))
  }

  /** Forgets files that git no longer sees as changed: they have been committed. */
  async forgetCommitted(): Promise<void> {
    for (const path of this.files) {
      const status = await this.ask(`git status --porcelain --ignored -- ${quote(path)}`)
      if (status === "") this.forget(path)
    }
  }

  #isLocked(): boolean {
    const { repo, gitDir } = this.place
    const own = OWN_LOCKS.some((name) => existsSync(join(gitDir, name)))
    return own || globSync("refs/heads/**/*.lock", { cwd: join(repo, ".git") }).length > 0
  }

  async #untilUnlocked(): Promise<boolean> {
    for (let polls = 0; polls < LOCK_POLLS_MAX; polls++) {
      if (!this.#isLocked()) return true
      await delay(LOCK_POLL_MS)
    }
    return false
  }
}

function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex")
  } catch {
    return undefined // absent, or a folder
  }
}
