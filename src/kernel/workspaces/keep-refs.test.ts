import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { TaskId } from "../../base/ids.ts"
import { findKept, keep } from "./keep-refs.ts"

const owner = { home: "one", task: 7 as TaskId }

test("a commit is kept whatever the ref pointed at, and keeping it again changes nothing", async () => {
  using repo = new TestRepo()
  const first = repo.tip("main")
  const second = repo.commit({ "a.txt": "a" })
  for (const commit of [first, second, second]) {
    await keep(repo.path, owner, { kept: "head", commit })
    expect(await findKept(repo.path, owner, "head")).toBe(commit)
  }
})

test("without the ref, because git holds its lock, keeping fails", async () => {
  using repo = new TestRepo()
  const commit = repo.tip("main")
  repo.write({ ".git/refs/coppice/7/head.lock": "" })
  const keeping = () => keep(repo.path, owner, { kept: "head", commit })
  await expect(keeping()).rejects.toMatchObject({
    code: "workspace.ref_busy",
    transient: true,
  })
  repo.git("update-ref", "refs/coppice/7/candidate", commit)
  repo.write({ ".git/refs/coppice/7/head.lock": null, ".git/refs/coppice/7/head": `${commit}\n` })
  repo.write({ ".git/refs/coppice/7/head.lock": "" })
  await keeping() // the ref is there already
  const other = repo.commit({ "a.txt": "a" })
  await expect(keep(repo.path, owner, { kept: "head", commit: other })).rejects.toThrow("head")
})
