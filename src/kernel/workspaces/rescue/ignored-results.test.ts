import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { TaskId } from "../../../base/ids.ts"
import { rescueIgnored } from "./ignored-results.ts"
import { listRescueRefs } from "./list-refs.ts"

const REQUEST = {
  owner: { home: "one", task: 7 as TaskId },
  placed: [".env"],
  reason: "it landed",
  turns: [{ fromMs: 0, toMs: null }],
}

function withIgnored(files: Readonly<Record<string, string>>, rules: string) {
  const repo = new TestRepo()
  repo.commit({ ".gitignore": rules })
  const worktree = repo.worktree("feat")
  repo.write(files, worktree)
  return { repo, worktree, [Symbol.dispose]: () => repo[Symbol.dispose]() }
}

test("ignored files of a turn are saved and named, without what was placed and what tools keep [4.16, 4.20]", async () => {
  const tools = { "node_modules/a/b.js": "b", "out/__pycache__/c.pyc": "c", "cache/x": "x" }
  const marked = { ...tools, "cache/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55" }
  const results = { "out/report.md": "r", "out/deep/er.md": "d", "odd\nname.local": "o" }
  const rules = "out/\nnode_modules/\ncache/\n.env\n*.local\n"
  using it = withIgnored({ ...marked, ...results, ".env": "SECRET=1" }, rules)
  const found = await rescueIgnored(it.worktree, REQUEST)
  expect(found?.rescue?.paths.toSorted()).toEqual([
    "odd\\x0aname.local",
    "out/deep/er.md",
    "out/report.md",
  ])
  expect(it.repo.git("show", `${found?.rescue?.ref}:out/report.md`)).toBe("r")
  expect(await listRescueRefs(it.repo.path)).toMatchObject([{ isIgnored: true }])
  expect(found?.notice).toContain("out/report.md")
  expect(found?.notice).toContain("refs/coppice/rescue/7/1")
  expect((await rescueIgnored(it.worktree, REQUEST))?.rescue?.ref).toBe(found?.rescue?.ref)
})

test("ignored files from before, between or after the turns are not an agent's [4.16]", async () => {
  using it = withIgnored({ "a.local": "a" }, "*.local\n")
  const nowMs = Date.now()
  const turns = [
    { fromMs: 0, toMs: nowMs - 60_000 },
    { fromMs: nowMs + 60_000, toMs: null },
  ]
  expect(await rescueIgnored(it.worktree, { ...REQUEST, turns })).toBeUndefined()
  expect(await rescueIgnored(it.worktree, { ...REQUEST, turns: [] })).toBeUndefined()
})

test("a folder with more than an agent writes is named and not saved [4.16]", async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => [`bulk/${n}`, ""])
  const files = { ...Object.fromEntries(many), "out/report.md": "r" }
  using it = withIgnored(files, "bulk/\nout/\n")
  const found = await rescueIgnored(it.worktree, REQUEST)
  expect(found?.rescue?.paths).toEqual(["out/report.md"])
  expect(found?.notice).toContain("bulk/ (too large to save)")
})
