/** The cost of a worktree without a pool, alone and many at once, against plain git. */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Forked } from "../test/support/forked.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { GIT_ENV, type Git, generateRepo } from "./generated-repo.ts"
import { timeRounds } from "./rounds.ts"

const LARGE = 50_000
const MIDDLE = 2_000
const AT_ONCE = 50

/** Another process may lock the configuration, or leave a half-made worktree in the way. */
const BY_HAND = `try() {
  git worktree add --quiet -b "hand-$1" "$2/$1" main 2>&1
}
clear() {
  git worktree remove --force --force "$2/$1"
  rm -rf "$2/$1"
  git branch --quiet -D "hand-$1"
} 2>/dev/null
n=0
while [ "$n" -lt "$2" ]; do
  n=$((n + 1))
  (until try "$n" "$1" >/dev/null; do clear "$n" "$1"; done) &
done
wait`

type Preparation = Pick<Figure, "name" | "subject" | "baseline"> & {
  readonly ratioMax: number
  readonly files: number
  readonly count: number
  readonly rounds: number
}

function preparation({ files, count, rounds, ...figure }: Preparation): Figure {
  return { ...figure, unit: "ms", measure: (place) => measure(place, { files, count, rounds }) }
}

export const coldWorktree: readonly Figure[] = [
  preparation({
    name: "worktree-cold",
    subject: `a task's worktree and branch, set up when there is nothing to take it from; ${LARGE} files`,
    baseline: "git worktree add -b",
    ratioMax: 1.05,
    files: LARGE,
    count: 1,
    rounds: 7,
  }),
  preparation({
    name: "worktrees-at-once",
    subject: `the worktrees of ${AT_ONCE} tasks, set up at once, until the last is there; ${MIDDLE} files`,
    baseline: `${AT_ONCE} git worktree add -b at once, each until it works`,
    ratioMax: 1.25,
    files: MIDDLE,
    count: AT_ONCE,
    rounds: 8,
  }),
]

async function measure(
  place: Place,
  { files, count, rounds }: Pick<Preparation, "files" | "count" | "rounds">,
): Promise<Samples> {
  await using worktrees = new Worktrees(place, files)
  return await timeRounds({
    rounds,
    signal: place.signal,
    prepare: () => worktrees.clear(),
    baseline: () => worktrees.addByHand(count),
    subject: () => worktrees.setUp(count),
  })
}

/** A repository, those who make worktrees in it, and what clears them away. */
class Worktrees implements AsyncDisposable {
  readonly #path: string
  readonly #git: Git
  readonly #preparer: Forked

  constructor({ folder }: Pick<Place, "folder">, files: number) {
    this.#path = join(folder, "repo")
    this.#git = generateRepo(this.#path, files, {})
    this.#preparer = new Forked(join(import.meta.dirname, "preparer.ts"), [this.#path])
  }

  /** No worktree and no branch of a round before. */
  clear(): void {
    rmSync(`${this.#path}.worktrees`, { recursive: true, force: true })
    this.#git("worktree", "prune")
    const made = this.#git(
      "for-each-ref",
      "--format=delete %(refname)",
      "refs/heads/agent",
      "refs/heads/hand-*",
    )
    const input = made === "" ? "" : `${made}\n`
    execFileSync("git", ["update-ref", "--stdin"], { cwd: this.#path, env: GIT_ENV, input })
  }

  addByHand(count: number): void {
    const args = ["-c", BY_HAND, "sh", `${this.#path}.worktrees`, String(count)]
    execFileSync("sh", args, { cwd: this.#path, env: GIT_ENV, stdio: "ignore" })
  }

  /** @returns how long it took, in ms. @throws when one of them failed. */
  async setUp(count: number): Promise<number> {
    const { timeMs } = await this.#preparer.ask<{ readonly timeMs: number }>({ count })
    return timeMs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#preparer[Symbol.asyncDispose]()
  }
}
