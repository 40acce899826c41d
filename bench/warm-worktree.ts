/** The cost of a worktree from the pool: its time, and its disk usage while it waits. */
import { execFileSync } from "node:child_process"
import { globSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { Forked } from "../test/support/forked.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { GIT_ENV, type Git, generateRepo } from "./generated-repo.ts"
import { timeRounds } from "./rounds.ts"

const SMALL = 200
const MIDDLE = 2_000
const LARGE = 50_000
const CROWD = 300
const SUBJECT = "a task's worktree and branch, taken from a pool that has made one ahead"
const BARE = "git worktree add -b"

const warm = (name: string, files: number, ratioMax: number, rounds: number): Figure => ({
  name,
  ratioMax,
  unit: "ms",
  baseline: BARE,
  subject: `${SUBJECT}; ${files} files`,
  measure: (place) => measureWarm(place, files, rounds),
})

const growth: Figure = {
  name: "worktree-warm-growth",
  subject: `${SUBJECT}; ${LARGE} files`,
  baseline: `the same; ${SMALL} files`,
  unit: "ms",
  ratioMax: 1.3,
  measure: (place) => measurePair(place, { subject: { files: LARGE }, baseline: { files: SMALL } }),
}

const crowd: Figure = {
  name: "worktree-warm-crowd",
  subject: `${SUBJECT}; ${SMALL} files, and ${CROWD} worktrees of others`,
  baseline: "the same; no other worktree",
  unit: "ms",
  ratioMax: 2,
  measure: (place) =>
    measurePair(place, {
      subject: { files: SMALL, others: CROWD },
      baseline: { files: SMALL },
    }),
}

type Way = "fresh" | "made ahead"
const room = (name: string, way: Way): Figure => ({
  name,
  unit: "MiB",
  ratioMax: 1.02,
  subject: `the room that one more worktree takes, ${way}; ${MIDDLE} files`,
  baseline: "one that git worktree add has made",
  measure: (place) => measureRoom(place, way),
})

export const warmWorktree: readonly Figure[] = [
  warm("worktree-warm", LARGE, 0.02, 7),
  warm("worktree-warm-small", SMALL, 0.9, 15),
  growth,
  crowd,
  room("room-fresh", "fresh"),
  room("room-ahead", "made ahead"),
]

async function measureWarm(place: Place, files: number, rounds: number): Promise<Samples> {
  const repo = new Repo(place, { name: "repo", files })
  await using pools = new Pools(place, [repo])
  await pools.makeAhead()
  return await timeRounds({
    rounds,
    signal: place.signal,
    baseline: () => repo.addByHand(),
    subject: () => pools.take(repo),
  })
}

const PAIR_ROUNDS = 15
type Sizes = { readonly files: number; readonly others?: number }

async function measurePair(
  place: Place,
  { subject, baseline }: { readonly subject: Sizes; readonly baseline: Sizes },
): Promise<Samples> {
  const one = new Repo(place, { name: "one", ...subject })
  const other = new Repo(place, { name: "other", ...baseline })
  await using pools = new Pools(place, [one, other])
  await pools.makeAhead()
  return await timeRounds({
    rounds: PAIR_ROUNDS,
    signal: place.signal,
    baseline: () => pools.take(other),
    subject: () => pools.take(one),
  })
}

async function measureRoom(place: Place, way: Way): Promise<Samples> {
  const repo = new Repo(place, { name: "repo", files: MIDDLE })
  await using pools = new Pools(place, [repo])
  const path = await pools.makeIdle(repo, way)
  const byHand = join(repo.worktrees, "hand")
  repo.git("worktree", "add", "--quiet", "--detach", byHand, "main")
  return { baseline: [repo.roomOf(byHand)], subject: [repo.roomOf(path)] }
}

class Repo {
  readonly path: string
  readonly worktrees: string
  readonly git: Git

  constructor({ folder }: Pick<Place, "folder">, options: { name: string } & Sizes) {
    const { name, files, others = 0 } = options
    this.path = join(folder, name)
    this.worktrees = `${this.path}.worktrees`
    this.git = generateRepo(this.path, files, {})
    for (let n = 0; n < others; n++)
      this.git(
        "worktree",
        "add",
        "--quiet",
        "--no-checkout",
        "-b",
        `other-${n}`,
        `${this.path}.others/${n}`,
      )
  }

  /** @returns how long it took, in ms, without clearing it away. */
  addByHand(): number {
    const path = join(this.worktrees, "hand")
    const startMs = performance.now()
    const args = ["worktree", "add", "--quiet", "-b", "hand", path, "main"]
    execFileSync("git", args, { cwd: this.path, env: GIT_ENV, stdio: "ignore" })
    const timeMs = performance.now() - startMs
    this.git("worktree", "remove", "--force", path)
    this.git("update-ref", "-d", "refs/heads/hand") // and no configuration, which would have to be read again
    return timeMs
  }

  /** Disk usage of a worktree and its git directory, in MiB. */
  roomOf(worktree: string): number {
    const dir = execFileSync("git", ["rev-parse", "--absolute-git-dir"], {
      cwd: worktree,
      env: GIT_ENV,
      encoding: "utf8",
    }).trim()
    const paths = [worktree, dir].flatMap((root) => [
      root,
      ...globSync("**/*", { cwd: root }).map((path) => join(root, path)),
    ])
    const blocks = paths.reduce((sum, path) => sum + lstatSync(path).blocks, 0)
    return (blocks * 512) / 1024 / 1024
  }
}

/** The process that has the pools. */
class Pools implements AsyncDisposable {
  readonly #preparer: Forked

  constructor({ disk }: Pick<Place, "disk">, repos: readonly Repo[]) {
    const args = [join(disk, "coppice.db"), ...repos.map(({ path }) => path)]
    this.#preparer = new Forked(join(import.meta.dirname, "pool-preparer.ts"), args)
  }

  /** @returns how long it took until a task had it, in ms; the next one waits by then. */
  async take({ path }: Repo): Promise<number> {
    const { timeMs } = await this.#say({ repo: path, pooled: true })
    await this.#say("take back")
    return timeMs
  }

  /** @returns where the one is that waits. */
  async makeIdle(repo: Repo, way: Way): Promise<string> {
    if (way === "made ahead") await this.makeAhead()
    const { worktree } = await this.#say({ repo: repo.path, pooled: way !== "fresh" })
    return worktree
  }

  async makeAhead(): Promise<void> {
    await this.#say("make ahead")
  }

  #say(order: object | string): Promise<{ readonly timeMs: number; readonly worktree: string }> {
    return this.#preparer.ask(order)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#preparer[Symbol.asyncDispose]()
  }
}
