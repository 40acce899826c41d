import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { submitWork } from "../../landing/submit-work.ts"
import { listEvents } from "../../store/events.ts"
import { teardownOf } from "./run-teardown.ts"

/** The task of a branch with one commit, ready to land. */
function withWork(repo: TestRepo, teardown: string) {
  const it = new LandingTest(repo, { teardown })
  const worktree = repo.worktree("feat")
  const base = repo.tip("main")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const id = it.submit({ branch: "feat", base, worktree })
  const task = it.task(id)
  const ran = () => {
    const file = join(repo.folder, "ran")
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  const told = () =>
    listEvents(it.db, { after: 0, limit: 100, task: task.id }).filter(({ type }) =>
      type.startsWith("workspace.t"),
    )
  return { it, id, task, worktree, ran, told }
}

test("it runs in the worktree before the removal, and is reported", async () => {
  using repo = new TestRepo()
  const { it, id, worktree, ran, told } = withWork(repo, `pwd >> "$HOME/ran"`)
  await using _ = it
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(ran()).toBe(`${worktree}\n`)
  expect(existsSync(worktree)).toBe(false)
  expect(told()).toMatchObject([{ type: "workspace.torn_down", data: { repo: "app", worktree } }])
})

test("its failure keeps no worktree, and its files are saved [28.7]", async () => {
  using repo = new TestRepo()
  const { it, id, task, worktree, told } = withWork(repo, "echo new > new.txt; echo no db; exit 3")
  await using _ = it
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(existsSync(worktree)).toBe(false)
  const failure = { failure: "exited with 3", output: "no db\n" }
  expect(told()).toMatchObject([{ type: "workspace.teardown_failed", data: failure }])
  expect(repo.git("show", `refs/coppice/rescue/${task.id}/1:new.txt`)).toBe("new")
})

test("a repeated removal does not run it again, unless we ended it before [28.7]", async () => {
  using repo = new TestRepo()
  const command = `echo ran >> "$HOME/ran"; test -f "$HOME/go" || sleep 60`
  const { it, id, task, ran } = withWork(repo, command)
  await using _ = it
  const [own] = task.repos
  const stop = new AbortController()
  const leaving = teardownOf(it.context, { task, repo: own!, signal: stop.signal })
  const ended = leaving!()
  await expect.poll(ran).toBe("ran\n")
  stop.abort(new Error("the daemon ends"))
  await expect(ended).rejects.toThrow("the daemon ends")

  writeFileSync(join(repo.folder, "go"), "")
  const again = () =>
    teardownOf(it.context, {
      task,
      repo: it.task(id).repos[0]!,
      signal: new AbortController().signal,
    })
  await again()!()
  expect(ran()).toBe("ran\nran\n")
  expect(again()).toBeUndefined()
})

test("a disposable worktree that was set up has a teardown too, even after a crash", async () => {
  using repo = new TestRepo()
  const options = { gate: "true", setup: "true", teardown: `basename "$PWD" >> "$HOME/ran"` }
  await using it = new LandingTest(repo, options)
  repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", join(repo.folder, "worktrees", "feat"))
  const repos = [{ name: "app", path: it.path, target: "main", branch: "feat" }]
  const { landing } = submitWork(it.db, { title: "By hand", repos }, it.nowMs)
  let isFirst = true
  it.onPoint = (name) => {
    if (name !== "fresh worktree: gate ran" || !isFirst) return
    isFirst = false
    throw new Crash()
  }
  expect(await it.run(landing.id)).toMatchObject({ state: "landed" })
  const ran = readFileSync(join(repo.folder, "ran"), "utf8").split("\n").filter(Boolean)
  expect(ran).toHaveLength(2)
  expect(ran.every((name) => name.startsWith("landing-"))).toBe(true)
})
