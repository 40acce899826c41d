import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import type { GitPath } from "../core/ids.ts"
import { listTouched } from "./diff-tree-each.ts"

test.each(["sha1", "sha256"] as const)(
  "lists what differs between two trees, and what each commit touches on its way (%s)",
  async (objectFormat) => {
    using repo = new TestRepo({ objectFormat })
    const odd = Buffer.from("ü\n").toString("latin1") as GitPath
    const first = repo.commit({ a: "1", b: "1" })
    const second = repo.commit({ a: "2", "d/c": "1" })
    const third = repo.commit({ a: "1", "ü\n": "1" })
    const empty = repo.git("commit-tree", `${third}^{tree}`, "-p", third, "-m", "empty") as never
    const between = [repo.tip(`${first}^{tree}`), repo.tip(`${third}^{tree}`)] as const
    const touched = await listTouched(repo.path, between, [second, third, empty])
    expect([...touched.between].sort()).toEqual(["d/c", odd])
    expect([...touched.byCommits].sort()).toEqual(["a", "d/c", odd])
    const none = await listTouched(repo.path, [between[0], between[0]], [])
    expect([none.between.size, none.byCommits.size]).toEqual([0, 0])
  },
)
