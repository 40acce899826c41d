/** What landing costs in a large repository: prepare and publish, against a disposable worktree. */
import { execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Oid } from "../src/core/ids.ts"
import type { Figure, Place, Samples } from "./figure.ts"
import { GIT_ENV, generateRepo, type History } from "./generated-repo.ts"
import { type Compared, timeRounds } from "./rounds.ts"
import type { Work } from "./task-rows.ts"

const LANDER = join(import.meta.dirname, "lander.ts")
const FILES = 10_000
const FILES_PER_COMMIT = 3
const COMMITS = 5
const COMMITS_OF_MAIN = 10
const ROUNDS = 9
/** Two of each round, and those that warm up. */
const BRANCHES = 11

const IN_WORKTREE = `set -e
git worktree add --quiet "$1" "$2"
git -C "$1" rebase --quiet main
git update-ref refs/heads/main "$2" main
git worktree remove "$1"`

export const preparePublish: Figure = {
  name: "land",
  subject: `prepare to publish of ${COMMITS} commits, ${COMMITS_OF_MAIN} behind, target not checked out; ${FILES} files`,
  baseline: "git worktree add, rebase, update-ref, worktree remove",
  unit: "ms",
  ratioMax: 0.05,
  measure,
}

async function measure({ folder, disk, signal }: Place): Promise<Samples> {
  const path = join(folder, "repo")
  const git = generateRepo(path, FILES, histories())
  git("checkout", "--quiet", "-b", "elsewhere", "main")
  const commitOf = (name: string) => git("rev-parse", name) as Oid
  const [main, base] = [commitOf("main"), commitOf(`main~${COMMITS_OF_MAIN}`)]
  const worktree = join(folder, "worktree")

  const lander = fork(LANDER, [join(disk, "coppice.db")])
  const died = once(lander, "exit").then(() => [])
  const compared: Compared = {
    rounds: ROUNDS,
    signal,
    prepare: () => void git("update-ref", "refs/heads/main", main),
    baseline: (round) => {
      const args = ["-c", IN_WORKTREE, "sh", worktree, `theirs-${round}`]
      execFileSync("sh", args, { cwd: path, env: GIT_ENV })
    },
    subject: async (round) => {
      const branch = `ours-${round}`
      lander.send({ path, branch, base, head: commitOf(branch) } satisfies Work)
      const [timeMs] = await Promise.race([once(lander, "message"), died])
      if (timeMs === undefined) throw new Error("the lander has ended")
      return timeMs
    },
  }
  try {
    return await timeRounds(compared)
  } finally {
    if (lander.connected) lander.disconnect()
    await died
  }
}

/** Branches of the same kind for both, two of each round: what is landed once is not landed again. */
function histories(): History {
  const commits = (count: number, first: number) =>
    Array.from({ length: count }, (_, n) =>
      Array.from({ length: FILES_PER_COMMIT }, (_, file) => first + FILES_PER_COMMIT * n + file),
    )
  const branches = Array.from({ length: BRANCHES }, (_, n) => {
    const first = 1_000 + 100 * n
    return [
      [`ours-${n}`, commits(COMMITS, first)],
      [`theirs-${n}`, commits(COMMITS, first + 50)],
    ]
  })
  return { main: commits(COMMITS_OF_MAIN, 0), ...Object.fromEntries(branches.flat()) }
}
