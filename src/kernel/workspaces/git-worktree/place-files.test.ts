import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { recorded, strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"

const strategy = strategyOf("/home/of/this/test")

function setUp(repo: TestRepo, copy: readonly string[], link: readonly string[] = []) {
  return strategy.setup(workspaceRequest(repo, { copy, link }))
}

/** A repository that ignores what the tests place. */
function repoWithIgnored(): TestRepo {
  const repo = new TestRepo()
  repo.commit({ ".gitignore": ".env*\nnode_modules\n*.local\n", "config/app.yml": "tracked" })
  repo.write({
    ".env": "SECRET=1",
    "config/db.local": "db",
    "node_modules/a/index.js": "a",
    "node_modules/.bin/a": "#!/bin/sh",
  })
  return repo
}

test("copies listed files and folders, links others, and reports what it placed [28.1]", async () => {
  using repo = repoWithIgnored()
  const { worktree, placed, notices } = await setUp(
    repo,
    [".env*", "**/*.local"],
    ["node_modules/"],
  )

  expect({ placed, notices }).toEqual({
    placed: [".env", "config/db.local", "node_modules"],
    notices: [],
  })
  expect(readFileSync(join(worktree, ".env"), "utf8")).toBe("SECRET=1")
  expect(readFileSync(join(worktree, "config/db.local"), "utf8")).toBe("db")
  expect(readlinkSync(join(worktree, "node_modules"))).toBe(join(repo.path, "node_modules"))
  writeFileSync(join(worktree, ".env"), "SECRET=2")
  expect(readFileSync(join(repo.path, ".env"), "utf8")).toBe("SECRET=1")
})

test("a folder that holds tracked files gets only the untracked ones [28.1]", async () => {
  using repo = repoWithIgnored()
  repo.commit({ "config/app.yml": "tracked, changed" })
  writeFileSync(join(repo.path, "config/app.yml"), "edited by the user")
  const { worktree, placed } = await setUp(repo, ["config"])
  expect(placed).toEqual(["config/db.local"])
  expect(readFileSync(join(worktree, "config/app.yml"), "utf8")).toBe("tracked, changed")
})

test("missing and tracked files are reported before the agent starts [28.6]", async () => {
  using repo = repoWithIgnored()
  const { placed, notices } = await setUp(repo, [".env.production", "README.md"])
  expect(placed).toEqual([])
  expect(notices).toEqual([
    expect.stringMatching(/nothing in .* matches \.env\.production/),
    expect.stringContaining("README.md is tracked"),
  ])
})

test("placing again touches no existing file, and adds missing ones [6.3, 28.1]", async () => {
  using repo = repoWithIgnored()
  const first = await setUp(repo, [".env"])
  writeFileSync(join(first.worktree, ".env"), "the agent's")
  const request = workspaceRequest(repo, {
    earlier: recorded(first),
    copy: [".env", "node_modules"],
  })
  const { placed } = await strategy.setup(request)
  expect(placed).toEqual([".env", "node_modules"])
  expect(readFileSync(join(first.worktree, ".env"), "utf8")).toBe("the agent's")
  expect(readdirSync(join(first.worktree, "node_modules"))).toEqual([".bin", "a"])
})

test.each(["../outside", "/etc/passwd", "config/../../outside"])(
  "a pattern that leads out of the repository, %s, is refused",
  async (pattern) => {
    using repo = repoWithIgnored()
    repo.write({ "../outside": "outside" })
    await expect(setUp(repo, [pattern])).rejects.toMatchObject({
      code: "workspace.path_refused",
      blame: "user",
    })
  },
)

test("a symbolic link that leads out of either tree is never followed [28.2]", async () => {
  using repo = repoWithIgnored()
  const outside = join(repo.folder, "outside")
  mkdirSync(outside)
  writeFileSync(join(outside, "secret"), "secret")
  symlinkSync(join(outside, "secret"), join(repo.path, ".env.outside"))
  symlinkSync(".git/config", join(repo.path, ".env.git"))
  symlinkSync("nowhere", join(repo.path, ".env.dangling"))
  // The commit has a link where the main worktree has a folder: writing through it would escape.
  const work = repo.worktree("target")
  rmSync(join(work, "config"), { recursive: true })
  symlinkSync(outside, join(work, "config"))
  repo.commit({}, "a link", work)
  repo.git("worktree", "remove", work)

  const request = workspaceRequest(repo, {
    target: "target",
    copy: [".env.outside", ".env.git", ".env.dangling", "config/db.local"],
  })
  const { worktree, placed, notices } = await strategy.setup(request)

  expect(placed).toEqual([])
  expect(notices).toHaveLength(4)
  for (const notice of notices) expect(notice).toContain("symbolic link")
  expect(readdirSync(outside)).toEqual(["secret"])
  expect(existsSync(join(worktree, ".env.outside"))).toBe(false)
})

test("git's own folder and other tasks' worktrees are never searched [28.2]", async () => {
  using repo = repoWithIgnored()
  const worktreeDir = ".worktrees"
  await strategy.setup(workspaceRequest(repo, { task: 1 as never, worktreeDir, copy: [".env"] }))
  const request = workspaceRequest(repo, { worktreeDir, copy: ["**/.env", ".git/config", ".git"] })
  const { placed, worktree } = await strategy.setup(request)
  expect(placed).toEqual([".env"])
  expect(lstatSync(join(worktree, ".git")).isFile()).toBe(true)
})

test("a pipe or socket has no content to copy: it is left out and reported, also inside a folder [28.3]", async () => {
  using repo = repoWithIgnored()
  const socket = join(repo.path, "node_modules/agent.sock")
  execFileSync("mkfifo", [join(repo.path, ".env.pipe"), join(repo.path, "node_modules/a/pipe")])
  const server = createServer().listen(socket)
  await once(server, "listening")

  const { worktree, placed, notices } = await setUp(repo, [".env*", "node_modules"])

  server.close()
  expect(placed).toEqual([".env", "node_modules"])
  const left = [".env.pipe", "node_modules/a/pipe", "node_modules/agent.sock"]
  expect(notices.toSorted()).toEqual(
    left.map((path) => expect.stringContaining(`copy: ${path} is left out`)),
  )
  expect(readdirSync(join(worktree, "node_modules/a"))).toEqual(["index.js"])
  expect(existsSync(join(worktree, ".env.pipe"))).toBe(false)
})
