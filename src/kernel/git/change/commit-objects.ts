/** `git hash-object`: writes commit objects that no ref points at. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert } from "../../../base/assert.ts"
import type { Oid } from "../../../base/ids.ts"
import { makeScratch, type Scratch } from "../../process/scratch-folder.ts"
import { identLine, readCommitter } from "../ask/settings.ts"
import { git } from "../start/exec.ts"
import { gitFailure } from "../start/failure.ts"
import { type LongRunningGit, openLongRunning } from "../start/long-running.ts"

/**
 * `--literally`, because commits of other tools may hold text that newer versions of git refuse.
 */
const ARGS = ["hash-object", "-t", "commit", "-w", "--literally"]
const MANY = [...ARGS, "--no-filters", "--stdin-paths"]

/** @param raw the whole commit object, one char per raw byte. */
export async function writeCommitObject(cwd: string, raw: string): Promise<Oid> {
  const stdin = Buffer.from(raw, "latin1")
  return (await git(cwd, [...ARGS, "--stdin"], { stdin })).stdout.trim() as Oid
}

/** Writes many commits, one after the other, with one git that starts with the first. */
export class CommitWriter implements AsyncDisposable {
  readonly #cwd: string
  #opened: { readonly git: Promise<LongRunningGit>; readonly scratch: Scratch } | undefined

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  /** Like {@link writeCommitObject}. */
  async write(raw: string): Promise<Oid> {
    this.#opened ??= { git: openLongRunning(this.#cwd, MANY), scratch: makeScratch() }
    const { scratch } = this.#opened
    const path = join(scratch.path, "commit")
    await writeFile(path, raw, "latin1")
    const git = await this.#opened.git
    git.writeLines(`${path}\n`)
    const oid = await git.readLine()
    if (oid === undefined)
      throw await gitFailure(this.#cwd, { args: MANY, result: await git.end() })
    return oid as Oid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#opened) return
    const { git, scratch } = this.#opened
    // write() has thrown any error of it already; a second one would hide whether it is transient.
    await Promise.allSettled([git.then((running) => running.end())])
    scratch[Symbol.dispose]()
  }
}

export type CommitParts = {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** `Name <email> seconds zone`. */
  readonly author: string
  readonly committer: string
  /** Raw bytes. */
  readonly message: string
  /** The message's encoding; UTF-8 if absent. */
  readonly encoding?: string | undefined
}

/** The object that git would store for these parts. */
export function formatCommit(parts: CommitParts): string {
  const lines = [
    `tree ${parts.tree}`,
    ...parts.parents.map((parent) => `parent ${parent}`),
    `author ${parts.author}`,
    `committer ${parts.committer}`,
    ...(parts.encoding ? [`encoding ${parts.encoding}`] : []),
  ]
  return `${lines.join("\n")}\n\n${parts.message}`
}

/** Stands for a missing author. Git accepts a handmade commit without one. */
const UNKNOWN_IDENT = "unknown <> 0 +0000"

/** Parses a commit object. Leaves signatures out, which would not fit another commit. */
export function parseCommit(raw: string): CommitParts {
  const end = raw.indexOf("\n\n")
  const lines = (end < 0 ? raw : raw.slice(0, end)).split("\n")
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  const [[tree], [author = UNKNOWN_IDENT], [committer = UNKNOWN_IDENT], [encoding]] = [
    values("tree"),
    values("author"),
    values("committer"),
    values("encoding"),
  ]
  assert(tree !== undefined, "it is a commit")
  const parents = values("parent") as Oid[]
  const message = end < 0 ? "" : raw.slice(end + 2)
  return { tree: tree as Oid, parents, author, committer, message, encoding }
}

export type NewCommit = {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** Text. */
  readonly message: string
  /** `Name <email> seconds zone`, raw bytes. Default: the configured identity, now. */
  readonly author?: string
  readonly committer?: string
}

export async function commitTree(cwd: string, commit: NewCommit): Promise<Oid> {
  const { tree, parents, message } = commit
  const committer = commit.committer ?? identLine(await readCommitter(cwd), Date.now())
  const author = commit.author ?? committer
  const text = message.endsWith("\n") ? message : `${message}\n`
  const bytes = Buffer.from(text, "utf8").toString("latin1")
  const raw = formatCommit({ tree, parents, author, committer, message: bytes })
  return writeCommitObject(cwd, raw)
}
