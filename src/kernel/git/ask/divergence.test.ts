/** Where two histories meet, against what `git merge-base` and `git rev-list` say of them. */
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { readDivergence } from "./merge-base.ts"

test("the work and its merge bases are those of git, whatever the histories are", async () => {
  using repo = new TestRepo()
  const root = repo.tip("HEAD")
  repo.git("checkout", "--quiet", "-b", "feat")
  const [a1, a2] = [repo.commit({ a: "1" }, "a1"), repo.commit({ a: "2" }, "a2")]
  repo.git("checkout", "--quiet", "main")
  const [m1, m2] = [repo.commit({ m: "1" }, "m1"), repo.commit({ m: "2" }, "m2")]
  const merge = (...parents: readonly Oid[]) =>
    repo.git(
      "commit-tree",
      "HEAD^{tree}",
      ...parents.flatMap((one) => ["-p", one]),
      "-m",
      "merge",
    ) as Oid
  const [across, back] = [merge(a2, m1), merge(m2, a1)] // each has merged the other
  const merged = merge(a2, m2)
  const alone = repo.git("commit-tree", "HEAD^{tree}", "-m", "alone") as Oid
  const all = [root, a1, a2, m1, m2, across, back, merged, alone]
  for (const [a, b] of all.flatMap((one) => all.map((other) => [one, other] as const))) {
    const found = await readDivergence(repo.path, a, b)
    const list = (...args: readonly string[]) =>
      repo
        .git(...args)
        .split("\n")
        .filter(Boolean)
    const bases =
      a === alone && b !== alone
        ? []
        : b === alone && a !== alone
          ? []
          : list("merge-base", "--all", a, b)
    expect(found.mergeBases.toSorted()).toEqual(bases.toSorted())
    expect(found.ahead).toEqual(list("rev-list", "--reverse", "--topo-order", a, `^${b}`))
    expect(found.treeA).toBe(repo.tip(`${a}^{tree}`))
    expect(found.treeB).toBe(repo.tip(`${b}^{tree}`))
  }
})
