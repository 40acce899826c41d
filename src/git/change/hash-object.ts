/** `git hash-object`: writes commit objects that no ref points at. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { makeScratch, type Scratch } from "../../process/scratch.ts"
import { type Dialogue, openDialogue } from "../start/dialogue.ts"
import { GitError } from "../start/errors.ts"
import { git } from "../start/exec.ts"

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
  #opened: { readonly git: Promise<Dialogue>; readonly scratch: Scratch } | undefined

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  /** Like {@link writeCommitObject}. */
  async write(raw: string): Promise<Oid> {
    this.#opened ??= { git: openDialogue(this.#cwd, MANY), scratch: makeScratch() }
    const { scratch } = this.#opened
    const path = join(scratch.path, "commit")
    await writeFile(path, raw, "latin1")
    const git = await this.#opened.git
    git.say(`${path}\n`)
    const oid = await git.hearLine()
    if (oid === undefined) throw new GitError(MANY, await git.end())
    return oid as Oid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#opened) return
    const { git, scratch } = this.#opened
    const ended = git.then((dialogue) => dialogue.end())
    await ended.catch(() => {}) // the caller of write() got the error
    scratch[Symbol.dispose]()
  }
}
