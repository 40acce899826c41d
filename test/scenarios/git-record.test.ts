/** The git commands of a landing can be read afterwards. */
import { expect, test } from "vitest"
import { keepingGits } from "../../src/kernel/git/start/trace-commands.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

test("a landing is a short list of git commands [12.11]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  for (const n of [1, 2, 3]) repo.commit({ [`${n}.txt`]: "feat" }, `A${n}`, worktree)
  repo.commit({ "m.txt": "m" }, "M1")
  repo.git("switch", "--quiet", "--detach")
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  const lines: string[] = []
  await keepingGits(
    (some) => lines.push(...some),
    () => it.run(id),
  )
  expect(it.landing(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  for (const line of lines)
    expect(line).toMatch(/^ *\d+\.\d ms {2}exit (\d+|\?) {2}git .+ {2}\(in \/.*\)$/)
  const commands = lines.map((line) => /exit \S+ {2}git ([a-z-]+)/.exec(line)?.[1])
  expect(commands.filter((command) => command === "merge-tree")).toHaveLength(3)
  expect(commands.filter((command) => command === "hash-object")).toHaveLength(1)
  expect(commands.length, lines.join("\n")).toBeLessThanOrEqual(31)
})
