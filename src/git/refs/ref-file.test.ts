import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { GitPath, RefName } from "../../core/ids.ts"
import { listStaged } from "../index/ls-files-staged.ts"
import { gitPaths } from "../repository/rev-parse.ts"
import { readBranch } from "./ref-file.ts"
import { lockFilesOf } from "./ref-lock.ts"

const ref = (name: string) => name as RefName

test("files say of branches, locks and the index what git says, in a linked worktree too", async () => {
  using repo = new TestRepo()
  const tip = repo.commit({ "dir/ä.txt": "a", run: "b" }, "M0")
  const linked = repo.worktree("feat")
  repo.git("update-index", "--chmod=+x", "run")
  repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
  for (const isPacked of [false, true]) {
    if (isPacked) repo.git("pack-refs", "--all")
    for (const name of ["refs/heads/main", "refs/heads/alias", "HEAD"])
      expect(await readBranch(repo.path, ref(name)), name).toBe(tip)
    expect(await readBranch(linked, ref("refs/heads/gone"))).toBe(undefined)
  }
  for (const cwd of [repo.path, linked, join(repo.path, "dir")])
    for (const name of ["refs/heads/main", "refs/heads/a/b", "HEAD", "refs/worktree/x"])
      expect(await lockFilesOf(cwd, ref(name)), `${name} in ${cwd}`).toEqual(
        await gitPaths(cwd, [`${name}.lock`, "HEAD.lock"]),
      )
  const staged = async () => {
    const raw = ["run", Buffer.from("dir/ä.txt").toString("latin1"), "gone"] as GitPath[]
    return [...(await listStaged(repo.path, Promise.resolve(raw))).values()]
  }
  const byFile = await staged()
  expect(byFile.map(({ mode }) => mode)).toEqual(["100644", "100755"])
  repo.git("update-index", "--index-version", "4") // which only git reads
  expect(await staged()).toEqual(byFile)
})
