/**
 * After a clean-up of worktrees in any state, every commit and every uncommitted byte is still there,
 * in its worktree or under a ref.
 *
 * `FAULT_SEED` draws the same again.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { TaskState } from "../../src/kernel/tasks/rules.ts"
import { Dice } from "../../torture/dice.ts"
import { CleanupTest, DAY_MS } from "../support/cleanup.ts"

const WORKTREES = 14
const STATES: readonly (TaskState | "none")[] = ["none", "none", "complete", "complete", "stuck"]

type Place = { readonly it: CleanupTest; readonly path: string; readonly n: number }
type Held = { readonly commits: string[]; readonly texts: string[] }

/** Each does one thing to a worktree, and notes what must not be lost. */
const DEEDS: Readonly<Record<string, (place: Place, held: Held) => void>> = {
  nothing: () => {},
  edit: ({ it, path, n }, { texts }) => write(it, path, texts, { "README.md": `edited ${n}\n` }),
  untracked: ({ it, path, n }, { texts }) => write(it, path, texts, { "new.txt": `new ${n}\n` }),
  staged: ({ it, path, n }, { texts }) => {
    write(it, path, texts, { "staged.txt": `staged ${n}\n` })
    it.repo.gitIn(path, "add", "staged.txt")
  },
  hidden: ({ it, path, n }, { texts }) => {
    write(it, path, texts, { "README.md": `hidden ${n}\n` })
    it.repo.gitIn(path, "update-index", "--assume-unchanged", "README.md")
  },
  ignored: ({ it, path }) => it.repo.write({ "x.log": "ignored" }, path),
  commit: (place, { commits }) => commits.push(commit(place)),
  "two commits": (place, { commits }) => commits.push(commit(place), commit(place, "more")),
  merged: (place, { commits }) => {
    commits.push(commit(place))
    place.it.repo.git("merge", "-q", "--no-edit", commits.at(-1)!)
  },
  picked: (place, { commits }) => {
    commits.push(commit(place))
    place.it.repo.git("cherry-pick", commits.at(-1)!)
  },
  squashed: (place, { commits }) => {
    commits.push(commit(place), commit(place, "more"))
    place.it.repo.git("merge", "-q", "--squash", commits.at(-1)!)
    place.it.repo.git("commit", "-q", "-m", `squashed ${place.n}`)
  },
  detached: (place, { commits }) => {
    place.it.repo.gitIn(place.path, "checkout", "-q", "--detach")
    commits.push(commit(place))
  },
  locked: ({ it, path }) => void it.repo.git("worktree", "lock", path),
  bisect: ({ it, path }) => void it.repo.gitIn(path, "bisect", "start"),
}

function write(it: CleanupTest, path: string, texts: string[], files: Record<string, string>) {
  it.repo.write(files, path)
  texts.push(...Object.values(files))
}

function commit({ it, path, n }: Place, more = ""): string {
  return it.repo.commit({ [`own-${n}${more}.txt`]: `own ${n} ${more}\n` }, `OWN ${n}`, path)
}

test("nothing is lost of any set of worktrees [4.1, 33.1]", { timeout: 120_000 }, async () => {
  const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`seed of the worktrees: ${seed}`)
  const dice = new Dice(seed)
  const pick = <T>(from: readonly T[]): T => from[dice.below(from.length)]!
  await using it = new CleanupTest()
  it.repo.commit({ ".gitignore": "*.log\n" })
  const kinds = Object.keys(DEEDS)
  const all: { path: string; deed: string; held: Held }[] = []
  for (let n = 0; n < WORKTREES; n++) {
    const isForeign = n === 0
    const { worktree: path } = isForeign
      ? { worktree: it.repo.worktree("foreign") }
      : await it.worktree({ state: pick(STATES) })
    const [deed, held] = [kinds[n] ?? pick(kinds), { commits: [], texts: [] }]
    DEEDS[deed]!({ it, path, n }, held)
    if (dice.below(3) === 0) DEEDS["untracked"]!({ it, path, n }, held)
    all.push({ path, deed, held })
  }
  it.nowMs += pick([0, 8]) * DAY_MS
  const cleanup = { prune_unmerged_branches: pick([true, false]) }
  it.configure({ worktree_cleanup: cleanup })
  const done = await it.collect()
  await it.collect()

  const heads = all
    .filter(({ path }) => existsSync(path))
    .map(({ path }) => it.repo.gitIn(path, "rev-parse", "HEAD"))
  const reachable = it.repo.git("rev-list", "--all", ...heads).split("\n")
  const objects = it.repo.git("rev-list", "--objects", "--all").split("\n")
  const blobs = new Set(objects.map((line) => line.slice(0, 40)))
  for (const { path, deed, held } of all) {
    for (const one of held.commits) expect(reachable, `${deed}: a commit`).toContain(one)
    const there = ["README.md", "new.txt", "staged.txt"]
      .map((name) => join(path, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, "utf8"))
    for (const text of held.texts) {
      const isThere = there.includes(text) || blobs.has(blobOf(it, text))
      expect(isThere, `${deed}: ${text}`).toBe(true)
    }
  }
  expect(existsSync(all[0]!.path)).toBe(true)
  expect(done.notices).toEqual([])
})

function blobOf(it: CleanupTest, text: string): string {
  it.repo.write({ "../probe": text })
  return it.repo.git("hash-object", join(it.repo.folder, "probe"))
}
