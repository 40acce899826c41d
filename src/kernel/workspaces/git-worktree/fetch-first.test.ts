import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"
import type { TaskId } from "../../../base/ids.ts"
import { readIdentity } from "../../process/process-identity.ts"
import { tryLockFile } from "../../store/open.ts"
import { Waits } from "../../waits/waits.ts"

const strategy = strategyOf("/home/of/this/test")
const reason = new Error("the daemon ends")

/**
 * A remote that accepts each call, delays the nth until `answer(n)`, and hangs up without a word.
 */
function repoWithSilentRemote() {
  const repo = new TestRepo()
  const [called, go] = [join(repo.folder, "called"), join(repo.folder, "go")]
  const ssh = `echo $$ >> ${called}; n=$(grep -c . ${called})
    while [ ! -e ${go}-$n ]; do sleep 0.05; done; exit 1`
  repo.write({ "../ssh.sh": ssh })
  repo.userConfig("core.sshCommand", `sh ${join(repo.folder, "ssh.sh")}`)
  repo.git("config", "ssh.variant", "ssh") // otherwise git calls once more to find out
  repo.git("remote", "add", "origin", "ssh://localhost/nowhere")
  const calls = () =>
    existsSync(called) ? readFileSync(called, "utf8").split("\n").filter(Boolean) : []
  return { repo, calls, answer: (n: number) => writeFileSync(`${go}-${n}`, "") }
}

const setUp = (repo: TestRepo, task: number, signal = new AbortController().signal) =>
  strategy.setup(workspaceRequest(repo, { task: task as TaskId, fetch: true, signal }))

test("a fetch under way ends with the set-up, with its git and lock, and the next one is whole", async () => {
  const { repo, calls, answer } = repoWithSilentRemote()
  using _ = repo
  const stop = new AbortController()
  const setup = setUp(repo, 7, stop.signal)
  const [pid] = await waitFor("the call", () => calls().length > 0 && calls())
  stop.abort(reason)
  await expect(setup).rejects.toBe(reason)
  expect(tryLockFile(join(repo.path, ".git/coppice.lock"))?.release()).toBeUndefined()
  await waitFor("the end of ssh", () => readIdentity(Number(pid)) === undefined)
  expect(repo.git("for-each-ref", "refs/heads/agent")).toBe("")

  answer(2)
  const { worktree } = await setUp(repo, 7)
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("")
})

test("a caller that waits for the same fetch still gets it when another gives up", async () => {
  const { repo, calls, answer } = repoWithSilentRemote()
  using _ = repo
  const stop = new AbortController()
  const first = setUp(repo, 1)
  await waitFor("the first call", () => calls().length === 1)
  // The second and the third come too late for the first fetch, and share the next.
  const [second, third] = [setUp(repo, 2, stop.signal), setUp(repo, 3)]
  // Both have asked once a later caller has done the preceding steps twice.
  for (const _ of [1, 2])
    await expect(setUp(repo, 4, AbortSignal.abort(reason))).rejects.toBe(reason)
  answer(1)
  await waitFor("the next call", () => calls().length === 2)
  stop.abort(reason)
  await expect(second).rejects.toBe(reason)
  answer(2)
  answer(3)
  for (const { notices } of await Promise.all([first, third]))
    expect(notices).toEqual([expect.stringContaining("could not be fetched")])
})

test("a task waits 10 s for a silent remote, and the next start does not wait for it [12.6]", async () => {
  const { repo, calls } = repoWithSilentRemote()
  using _ = repo
  const waits = new Waits()
  const first = waits.during(7 as TaskId, () => setUp(repo, 7))
  await waitFor("the call", () => calls().length === 1)
  expect(waits.find(7 as TaskId)?.text).toBe("the remote origin to be fetched")
  expect((await first).notices).toEqual([expect.stringContaining("did not answer within 10 s")])
  expect(waits.find(7 as TaskId)).toBeUndefined()
  const { notices } = await setUp(repo, 8)
  expect(notices).toEqual([expect.stringContaining("it was silent, and is asked again after")])
  expect(calls()).toHaveLength(1)
})

test("a set-up that is aborted at once waits for nothing and makes nothing", async () => {
  const { repo, calls } = repoWithSilentRemote()
  using _ = repo
  await expect(setUp(repo, 7, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(calls()).toEqual([])
  expect(existsSync(join(repo.folder, "repo.worktrees"))).toBe(false)
})
