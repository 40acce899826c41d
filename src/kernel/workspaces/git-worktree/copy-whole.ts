/**
 * Copies a file or folder to an empty place, whole or not at all.
 *
 * It is copied to a temporary place and renamed, so that an interrupted copy is never mistaken for
 * a complete one. After a kill the next copy for the same worktree removes the remains, or they go
 * with the worktree.
 */
import { constants, cp, mkdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { CopyError } from "../errors.ts"

/** Files and folders of one set-up: more take minutes if the file system has no reflink. */
const ENTRIES_MAX = 100_000
const NAME = "coppice-staged"

export type Copied =
  | { readonly kind: "copied" }
  | { readonly kind: "too_many"; readonly max: number }

export type ToCopy = {
  readonly source: string
  readonly destination: string
  /** Called for each file and folder in it: whether to copy it. */
  isCopied(source: string): Promise<boolean>
}

/** Copies into one worktree; all of its copies share one limit. */
export class Copier {
  readonly #worktree: string
  readonly #signal: AbortSignal
  readonly #max: number
  #count = 0

  /**
   * @param worktree the real path. @param signal ends a copy, which then rejects with its reason.
   */
  constructor(worktree: string, signal: AbortSignal, entriesMax = ENTRIES_MAX) {
    this.#worktree = worktree
    this.#signal = signal
    this.#max = entriesMax
  }

  /** How many files and folders were copied. */
  get count(): number {
    return this.#count
  }

  /** @throws {CopyError} (world); nothing is at the destination then. */
  async copy({ source, destination, isCopied }: ToCopy): Promise<Copied> {
    const before = this.#count
    const staged = await this.#staging()
    try {
      await rm(staged, { recursive: true, force: true })
      await cp(source, staged, {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
        filter: async (inside) => {
          await this.#countOne()
          return inside === source || (await isCopied(inside))
        },
      })
      await mkdir(dirname(destination), { recursive: true })
      await rename(staged, destination)
      return { kind: "copied" }
    } catch (error) {
      await rm(staged, { recursive: true, force: true })
      if (error instanceof TooManyError) {
        this.#count = before
        return { kind: "too_many", max: this.#max }
      }
      this.#signal.throwIfAborted()
      throw new CopyError(source, error as NodeJS.ErrnoException)
    }
  }

  async #countOne(): Promise<void> {
    this.#signal.throwIfAborted()
    if (++this.#count > this.#max) throw new TooManyError()
    if (this.#count % 1000 === 0) await nextTurn()
  }

  /**
   * In git's folder of the worktree, with which it is removed; a rename needs the same file system.
   */
  async #staging(): Promise<string> {
    const own = await gitDir(this.#worktree)
    const [there, here] = await Promise.all([stat(own), stat(this.#worktree)])
    return there.dev === here.dev ? join(own, NAME) : `${this.#worktree}.${NAME}`
  }
}

class TooManyError extends Error {}
