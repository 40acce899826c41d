import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { readConfigAt } from "./exec.ts"
import { keepingGits } from "./trace.ts"

/** The value of `x.y` in a folder, and whether git was asked for it. */
async function ask(cwd: string): Promise<{ value: string | undefined; isCached: boolean }> {
  const gits: string[] = []
  const config = await keepingGits(
    (lines) => gits.push(...lines),
    () => readConfigAt(cwd),
  )
  const value = config.findLast(({ key }) => key === "x.y")?.value
  return { value, isCached: gits.length === 0 }
}

/** A file that changed a moment ago is not cached yet. */
const untilCached = (cwd: string) =>
  vi.waitFor(async () => expect(await ask(cwd)).toMatchObject({ isCached: true }), {
    timeout: 10_000,
  })

test("git is not asked for the settings of a new worktree, but again once they change", async () => {
  using repo = new TestRepo()
  repo.git("config", "x.y", "one")
  await untilCached(repo.path)
  const worktree = repo.worktree("new")
  expect(await ask(worktree)).toEqual({ value: "one", isCached: true })
  repo.git("config", "x.y", "two")
  expect(await ask(worktree)).toEqual({ value: "two", isCached: false })
})

test("a worktree with settings of its own shares none, also when they are new", async () => {
  using repo = new TestRepo()
  const [own, other] = [repo.worktree("own"), repo.worktree("other")]
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "x.y", "shared")
  await untilCached(other)
  expect(await ask(own)).toEqual({ value: "shared", isCached: true })
  repo.gitIn(own, "config", "--worktree", "x.y", "own")
  await untilCached(own)
  expect(await ask(own)).toEqual({ value: "own", isCached: true })
  expect(await ask(other)).toEqual({ value: "shared", isCached: true })
  repo.git("config", "--worktree", "x.y", "main")
  await untilCached(repo.path)
  const values = [repo.path, own, other].map(async (cwd) => (await ask(cwd)).value)
  expect(await Promise.all(values)).toEqual(["main", "own", "shared"])
})

test.each([
  ["include.path", "linked"],
  ["includeIf.gitdir:**/worktrees/linked.path", undefined],
])("worktrees share no settings if the repository's file has %s", async (key, inMain) => {
  using repo = new TestRepo()
  const linked = repo.worktree("linked")
  const file = join(repo.folder, "included")
  writeFileSync(file, "[x]\n\ty = linked\n")
  repo.git("config", key, file)
  await untilCached(repo.path)
  expect(await ask(linked)).toEqual({ value: "linked", isCached: false })
  expect(await ask(repo.path)).toEqual({ value: inMain, isCached: true })
})
