/**
 * `git merge-tree --stdin`, once for each merge: its start takes longer than the merge, and what is merged
 * is known last. One for several merges would say nothing before its end, up to git 2.49.
 */
import { early } from "../../core/early.ts"
import { GitStartError } from "../errors.ts"
import { type GitOptions, type GitResult, git } from "../exec.ts"

const MERGE_TREE = ["merge-tree", "--write-tree", "-z", "--stdin"]

/** What git says of one merge, clean or not, as it says it when it is told of it by arguments. */
export type MergeSaid = { readonly isClean: boolean; readonly output: string }

/** One that waits for what to merge. */
type Ready = { tell(sides: string): void; readonly result: Promise<GitResult> }

export class MergeGits {
  readonly #folder: string
  readonly #args: readonly string[]
  readonly #options: Pick<GitOptions, "env" | "settings">
  #ready: Ready | undefined
  #expected = 0

  /** @param args before the command. */
  constructor(
    folder: string,
    args: readonly string[],
    options: Pick<GitOptions, "env" | "settings">,
  ) {
    this.#folder = folder
    this.#args = [...args, ...MERGE_TREE]
    this.#options = options
  }

  /** Says how much will soon be merged: a git is started for the next of it, beside the one before. */
  expect(count: number): void {
    this.#expected = count
    if (count > 0) this.#ready ??= this.#start()
  }

  /**
   * @param sides as one line of git's input.
   * @throws {GitError} when there is nothing to merge. @throws {GitStartError} when git was not told of it.
   */
  async merge(sides: string): Promise<MergeSaid> {
    const { tell, result } = this.#ready ?? this.#start()
    this.#ready = undefined
    tell(sides)
    this.expect(this.#expected - 1)
    return parse((await result).stdout)
  }

  /** One that waits ends, and did nothing: its folder may go. */
  end(): void {
    this.#ready?.tell("")
    this.#ready = undefined
  }

  #start(): Ready {
    const { promise: stdinLine, resolve: tell } = Promise.withResolvers<string>()
    const result = early(git(this.#folder, this.#args, { ...this.#options, stdinLine }))
    return { tell, result }
  }
}

/** @see https://git-scm.com/docs/git-merge-tree the status comes first, a NUL last. */
function parse(said: string): MergeSaid {
  // Somebody killed who was to tell it: to a git that hears nothing all is well.
  if (said === "") throw new GitStartError("git merge-tree was not told what to merge")
  return { isClean: said.startsWith("1\0"), output: said.slice("1\0".length, -1) }
}
