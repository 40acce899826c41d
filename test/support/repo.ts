/**
 * A real git repository in a temporary folder, gone at the end of the scope.
 *
 * Setup runs plain git, never our own modules, so a bug in them cannot hide in its own test.
 * Author, dates and config are fixed: the same calls give the same object ids on every machine.
 * Importing this file also hides the machine's git configuration from the code under test.
 */
import {
  closeSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { devNull, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Oid } from "../../src/base/ids.ts"
import { type Entries, fillNewRepo, readEntries, writeEntries } from "./new-repo.ts"
import { quickGit } from "./quick-git.ts"

// Unless a test that started this process has its own.
if (!process.env["GIT_CONFIG_GLOBAL"]?.includes("/coppice-test-"))
  process.env["GIT_CONFIG_GLOBAL"] = devNull
process.env["GIT_CONFIG_NOSYSTEM"] = "1"

/** From one commit to the next. */
const SECONDS_BETWEEN = 60

type Prepared = { readonly folder: string; readonly entries: Entries; readonly seconds: number }

/** By the function that made it. */
const prepared = new Map<(repo: TestRepo) => void, Prepared>()

/** Content by path; null deletes the file. */
export type Files = Readonly<Record<string, string | Buffer | null>>

export type TestRepoOptions = {
  /** Default: `main`. */
  readonly branch?: string
  readonly objectFormat?: "sha1" | "sha256"
  /** Make the first commit, of README.md. Default: true. */
  readonly commit?: boolean
  /** Be a copy of this one, with its linked worktrees, and everything else that it is by now. */
  readonly copyOf?: TestRepo
  /** Be as this function makes a new one, with what lies beside it. It runs once in a process. */
  readonly preparedBy?: (repo: TestRepo) => void
}

export class TestRepo implements Disposable {
  /** Everything lies in here: worktrees, clones and other scratch go beside `path`. */
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-test-")))
  /** The main worktree. */
  readonly path = join(this.folder, "repo")
  #seconds = 1_000_000_000
  /** Lock files, open. */
  readonly #held: number[] = []

  constructor(options: TestRepoOptions = {}) {
    const { copyOf, preparedBy } = options
    if (copyOf) this.#copy(copyOf)
    else if (preparedBy) this.#prepare(preparedBy)
    else this.#make(options)
  }

  #make({ branch = "main", objectFormat = "sha1", commit = true }: TestRepoOptions): void {
    mkdirSync(this.path)
    const isCopy = fillNewRepo(this.path, JSON.stringify([branch, objectFormat, commit]), () => {
      this.git("init", "--quiet", `--initial-branch=${branch}`, `--object-format=${objectFormat}`)
      this.git("config", "user.name", "c")
      this.git("config", "user.email", "c@example.com")
      if (commit) this.commit({ "README.md": "hello\n" })
    })
    if (!isCopy || !commit) return
    this.#seconds += SECONDS_BETWEEN
    this.git("update-index", "--refresh")
  }

  /** Runs git in the main worktree. @returns its output, trimmed. */
  git(...args: string[]): string {
    return this.gitIn(this.path, ...args)
  }

  gitIn(cwd: string, ...args: string[]): string {
    return quickGit(args, { cwd, env: this.env }).toString("utf8").trim()
  }

  /** The environment in which plain git runs here; nothing of the machine's configuration. */
  get env(): Record<string, string> {
    const when = `${this.#seconds} +0000`
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      GIT_CONFIG_GLOBAL: process.env["GIT_CONFIG_GLOBAL"] ?? devNull,
      GIT_CONFIG_NOSYSTEM: "1",
      // Else each commit, fetch and push starts programs that find nothing to do.
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "maintenance.auto",
      GIT_CONFIG_VALUE_0: "false",
      GIT_CONFIG_KEY_1: "receive.autogc",
      GIT_CONFIG_VALUE_1: "false",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_AUTHOR_DATE: when,
      GIT_COMMITTER_NAME: "c",
      GIT_COMMITTER_EMAIL: "c@example.com",
      GIT_COMMITTER_DATE: when,
    }
  }

  /** Sets something as the user does, for all repositories; until the end of the scope. */
  userConfig(key: string, value: string): void {
    const file = join(this.folder, ".gitconfig")
    this.git("config", "--file", file, key, value)
    process.env["GIT_CONFIG_GLOBAL"] = file
  }

  /** Writes files, in the main worktree unless told otherwise. */
  write(files: Files, cwd = this.path): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      if (content === null) rmSync(join(cwd, path))
      else writeFileSync(join(cwd, path), content)
      // A lock of a program that works: without one it is dead, and is removed.
      if (content !== null && path.endsWith(".lock"))
        this.#held.push(openSync(join(cwd, path), "r"))
    }
  }

  /** Writes the files, commits everything on the branch checked out in `cwd`. @returns the commit. */
  commit(files: Files, message = "commit", cwd = this.path): Oid {
    this.write(files, cwd)
    this.#seconds += SECONDS_BETWEEN
    this.gitIn(cwd, "add", "--all")
    this.gitIn(cwd, "commit", "--quiet", "--allow-empty", "--message", message)
    return this.gitIn(cwd, "rev-parse", "HEAD") as Oid
  }

  /** The object id that a name stands for. */
  tip(name: string): Oid {
    return this.git("rev-parse", name) as Oid
  }

  /** Adds a linked worktree on a new branch. @returns its folder. */
  worktree(branch: string, start = "HEAD"): string {
    const path = join(this.folder, "worktrees", branch.replaceAll("/", "-"))
    this.git("worktree", "add", "--quiet", "--no-track", "-b", branch, path, start)
    return path
  }

  /** Clones the repository to a folder beside it, e.g. `clone("copy.git", "--bare")`. */
  clone(name: string, ...options: string[]): string {
    const path = join(this.folder, name)
    this.git("clone", "--quiet", ...options, this.path, path)
    return path
  }

  /** Makes a bare clone the remote `origin`, fetched, with its HEAD known. @returns its folder. */
  addOrigin(): string {
    const path = this.clone("origin.git", "--bare")
    this.git("remote", "add", "origin", path)
    this.git("fetch", "--quiet", "origin")
    this.git("remote", "set-head", "origin", "--auto")
    return path
  }

  #copy(other: TestRepo): void {
    this.#seconds = other.#seconds
    cpSync(other.folder, this.folder, { recursive: true, preserveTimestamps: true })
    this.#moveLinks(other.folder)
  }

  #prepare(prepare: (repo: TestRepo) => void): void {
    const known = prepared.get(prepare)
    if (known === undefined) {
      this.#make({})
      prepare(this)
      const { folder } = this
      prepared.set(prepare, { folder, entries: readEntries(folder), seconds: this.#seconds })
      return
    }
    this.#seconds = known.seconds
    writeEntries(this.folder, known.entries)
    this.#moveLinks(known.folder)
    this.git("update-index", "--refresh")
  }

  /** Makes absolute paths in linked worktrees and remotes name this folder. */
  #moveLinks(from: string): void {
    const config = join(this.path, ".git/config")
    writeFileSync(config, readFileSync(config, "utf8").replaceAll(from, this.folder))
    for (const admin of globSync(".git/worktrees/*", { cwd: this.path })) {
      const file = join(this.path, admin, "gitdir")
      const link = readFileSync(file, "utf8").trim().replace(from, this.folder)
      writeFileSync(file, `${link}\n`)
      writeFileSync(link, `gitdir: ${join(this.path, admin)}\n`)
    }
  }

  [Symbol.dispose](): void {
    if (process.env["GIT_CONFIG_GLOBAL"]?.startsWith(`${this.folder}/`))
      process.env["GIT_CONFIG_GLOBAL"] = devNull
    for (const file of this.#held.splice(0)) closeSync(file)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
