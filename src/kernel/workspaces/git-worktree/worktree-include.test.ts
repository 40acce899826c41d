import { lstatSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"

const strategy = strategyOf("/home/of/this/test")

const TRACKED: Files = {
  ".gitignore": ".env*\nnode_modules/\nsecrets/\n*.local\nbuild/\n.worktrees/\n",
  "config/app.yml": "tracked",
}
const IGNORED: Files = {
  ".env": "SECRET=1",
  ".env.testing": "t",
  ".env.example": "e",
  "config/db.local": "db",
  "secrets/a/key.pem": "key",
  "secrets/a/readme.txt": "no",
  "node_modules/dep/.env": "of a dependency",
  "build/out.js": "built",
  "notes.txt": "untracked, not ignored",
}

/** @returns the files that a set-up placed, with these patterns in the main worktree's file. */
async function placed(patterns: string, changes: Parameters<typeof workspaceRequest>[1] = {}) {
  using repo = new TestRepo()
  repo.commit({ ...TRACKED, ".worktreeinclude": patterns })
  repo.write(IGNORED)
  return await strategy.setup(workspaceRequest(repo, changes))
}

test.each<[string, string, readonly string[]]>([
  ["a file by its name", ".env\n", [".env"]],
  ["patterns, without negated ones", ".env*\n!.env.example\n", [".env", ".env.testing"]],
  ["a path below tracked folders", "config/*.local", ["config/db.local"]],
  ["a file in an ignored folder", "**/*.pem", ["secrets/a/key.pem"]],
  ["an ignored folder, whole", "/secrets/", ["secrets"]],
  ["folders filled by tools, if named", "node_modules", ["node_modules"]],
  ["no tracked and no unignored files", "config/app.yml\nnotes.txt\n", []],
  ["nothing without patterns", "# nothing\n\n", []],
])("copies %s [28.1]", async (_name, patterns, paths) => {
  const workspace = await placed(patterns)
  expect(workspace.placed).toEqual(paths)
  expect(workspace.copied.toSorted()).toEqual(paths)
  expect(workspace.notices).toEqual([])
})

test("it adds to the configured files, which are linked if configured so [28.1]", async () => {
  const workspace = await placed(".env*\n", { link: [".env.testing"], copy: ["build"] })
  expect(workspace.placed).toEqual([".env", ".env.example", ".env.testing", "build"])
  expect(workspace.linked).toEqual([".env.testing"])
  expect(workspace.copiedEntries).toBe(4)
})

test("it brings a contained agent nothing, and says what brings the files [43.47]", async () => {
  const { placed: paths, notices } = await placed(".env\nsecrets/\n", {
    isContained: true,
    copy: [".env"],
  })
  expect(paths).toEqual([".env"])
  expect(notices).toContainEqual(
    expect.stringMatching(/^include: secrets left out, .* `repos\.<name>\.copy`/),
  )
})

test("other tasks' worktrees are not the user's files, and a link to patterns is not followed [28.1]", async () => {
  using repo = new TestRepo()
  repo.commit(TRACKED)
  repo.write({ ...IGNORED, "../patterns": ".env\n" })
  const worktreeDir = ".worktrees"
  await strategy.setup(workspaceRequest(repo, { task: 1 as never, worktreeDir, copy: [".env"] }))
  symlinkSync("../patterns", join(repo.path, ".worktreeinclude"))
  const first = await strategy.setup(workspaceRequest(repo, { task: 2 as never, worktreeDir }))
  expect(first.placed).toEqual([])
  repo.write({ ".worktreeinclude": null })
  repo.write({ ".worktreeinclude": "**/.env\n" })
  const { worktree, placed } = await strategy.setup(workspaceRequest(repo, { worktreeDir }))
  expect(placed).toEqual([".env"])
  expect(lstatSync(join(worktree, ".env")).isFile()).toBe(true)
  expect(readFileSync(join(worktree, ".env"), "utf8")).toBe("SECRET=1")
})
