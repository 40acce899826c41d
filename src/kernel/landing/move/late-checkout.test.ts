import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"

test.each(["main", "linked"])(
  "a checkout of the target that is under way in a %s worktree while it moves goes along [5.4]",
  async (kind) => {
    using repo = new TestRepo()
    repo.commit({ "slow.txt": "old\n", ".gitattributes": "slow.txt filter=slow\n" }, "M0")
    repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
    repo.git("switch", "--quiet", "-c", "dev")
    repo.commit({ "slow.txt": "new\n" }, "D1")
    const checkout = kind === "main" ? repo.path : join(repo.folder, "linked")
    if (kind === "linked") repo.git("worktree", "add", "--quiet", "-b", "other", checkout, "dev")
    const [isWriting, go] = [join(repo.folder, "writing"), join(repo.folder, "go")]
    const smudge = `touch ${isWriting}; until test -f ${go}; do sleep 0.02; done; cat`
    repo.userConfig("filter.slow.smudge", smudge)
    repo.userConfig("filter.slow.clean", "cat")
    await using it = new LandingTest(repo)
    let ended: Promise<unknown> | undefined
    it.onPoint = async (name) => {
      if (name === "advance: ref locked") {
        const args = ["checkout", "--quiet", "main"]
        ended = once(spawn("git", args, { cwd: checkout, env: repo.env, stdio: "ignore" }), "exit")
        await waitFor("the checkout to write", () => existsSync(isWriting))
      }
      if (name === "advance: ref moved") writeFileSync(go, "")
    }
    expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ outcome: "LANDED" })
    expect(await ended).toEqual([0, null])
    expect(repo.gitIn(checkout, "symbolic-ref", "HEAD")).toBe("refs/heads/main")
    const status = repo.gitIn(checkout, "status", "--porcelain")
    expect(status, "the next commit takes nothing back").toBe("")
    expect(existsSync(join(checkout, "feat.txt"))).toBe(true)
  },
)

test("a lock that was left behind in the main worktree holds up nothing", async () => {
  using repo = new TestRepo()
  repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
  repo.git("switch", "--quiet", "-c", "dev")
  const lock = join(repo.path, ".git/index.lock")
  writeFileSync(lock, "")
  utimesSync(lock, 0, 0)
  await using it = new LandingTest(repo)
  expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ outcome: "LANDED" })
  expect(existsSync(lock)).toBe(true)
})
