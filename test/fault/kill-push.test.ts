/** A process that carries a landing with `push_target` is killed (SIGKILL); the next start goes on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bundleLandingMain } from "../support/bundled.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const MAIN = await bundleLandingMain()
const MAIN_MS_MAX = 60_000

test.concurrent.each([
  "preparing: done, not recorded",
  "publishing: looked",
  "publishing: push recorded",
  "publishing: pushed",
  "advance: ref locked",
  "advance: ref moved",
  "publishing: one published",
  "publishing: done, not recorded",
])(
  "kill -9 at `%s`: the work is pushed once, and both targets have it [44.2]",
  {
    timeout: 180_000,
  },
  async (point) => {
    using repo = new TestRepo()
    const origin = repo.addOrigin()
    const dbPath = join(repo.folder, "store.db")
    await using it = new LandingTest(repo, { pushTarget: true, dbPath })
    repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
    const id = it.submit({ branch: "feat" })
    const env = { ...process.env, KILL_AT: point, PUSH_TARGET: "1" }
    const args = [MAIN, repo.folder, repo.path, dbPath, String(id)]
    const child = spawn(process.execPath, args, { env, stdio: "ignore", timeout: MAIN_MS_MAX })
    const [, signal] = await once(child, "exit")
    expect(signal).toBe("SIGKILL")

    // A git that outlives the process still holds its locks for a moment.
    const isOver = async () => (await it.runThrough(id)).state === "landed"
    await waitFor("the landing to land", isOver, MAIN_MS_MAX)
    expect(it.landing(id)).toMatchObject({ outcome: "LANDED" })
    expect(repo.gitIn(origin, "log", "--format=%s", "main")).toBe("A1\ncommit")
    expect(it.tip("main")).toBe(repo.gitIn(origin, "rev-parse", "main"))
    expect(repo.git("status", "--porcelain")).toBe("")
  },
)
