import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Config } from "../../../config/config.ts"
import { ConfigError } from "../../../config/errors.ts"
import { repoOfAgent } from "../../../config/working-directories.ts"
import { parseConfigText } from "./config-file.ts"
import { locate, Places } from "./repository-places.ts"

/** Every way in which a path can name the repository of the home. */
function listSpellings(repo: TestRepo): readonly string[] {
  const link = join(repo.folder, "link")
  symlinkSync(repo.path, link)
  for (const name of ["packages/web", "empty"])
    mkdirSync(join(repo.path, name), { recursive: true })
  const worktree = repo.worktree("somebody")
  return [
    ...[".", "./", "x/..", "packages/web", "empty", ".git", ".git/refs"],
    ...[repo.path, `${repo.path}//`, `../${basename(repo.path)}`, "../link", link],
    ...["../link/packages/web", relative(repo.path, worktree), worktree],
  ]
}

/** Each differs from the default. */
const OTHERS = Object.entries({
  gate: "true",
  approve: true,
  gate_timeout: "1s",
  gate_files: ["x"],
  setup: "true",
  push_target: true,
  copy: [".env"],
  forge: { remote: "fork" },
})

const parse = (home: string, file: object, places?: Places) => {
  const text = JSON.stringify({ version: 1, ...file })
  return parseConfigText({ home, path: "coppice.yml" }, text, {}, places)
}

const repoOf = (config: Config, at = 0) => {
  const agent = config.agents[at]
  return agent && repoOfAgent(config, agent)
}

function problemsOf(home: string, file: object) {
  try {
    parse(home, file)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test("an agent's folder in a listed repository is that one, however its path is spelled [21.8]", () => {
  using repo = new TestRepo()
  const repos = { app: { gate: "exit 7", approve: true } }
  for (const root of listSpellings(repo)) {
    const config = parse(repo.path, { repos, agents: { a: { working_directory: { root } } } })
    expect([root, config.repos.length, repoOf(config)]).toMatchObject([
      ...[root, 1],
      { name: "app", gate: "exit 7", approve: true },
    ])
    const bare = parse(repo.path, { agents: { a: { working_directory: { root } } } })
    expect([root, bare.repos.length]).toEqual([root, 1])
  }
})

test("entries for one repository may differ in target alone [21.8]", () => {
  using repo = new TestRepo()
  for (const path of listSpellings(repo)) {
    const targets = {
      app: { gate: "make", target: "main" },
      release: { path, gate: "make", target: "release" },
    }
    const directory = { root: repo.path, default_branch: "release" }
    const agents = { a: { working_directory: directory } }
    expect(repoOf(parse(repo.path, { repos: targets, agents }))?.name).toBe("release")
    for (const [key, value] of OTHERS) {
      const repos = { app: {}, release: { path, target: "release", [key]: value } }
      expect([path, problemsOf(repo.path, { repos })]).toEqual([
        path,
        [
          {
            path: "repos.release",
            message: `is the repository of \`repos.app\`, with another \`${key}\`: only \`target\` may differ`,
          },
        ],
      ])
    }
  }
})

test("a static agent works in its own folder, with the settings of the repository around it [21.8]", () => {
  using repo = new TestRepo()
  const root = repo.worktree("somebody")
  const agents = { a: { workspace: { strategy: "static" }, working_directory: { root } } }
  const config = parse(repo.path, { repos: { app: { gate: "exit 7" } }, agents })
  expect(repoOf(config)).toMatchObject({ path: root, gate: "exit 7" })
  expect(repoOf(config)?.name).not.toBe("app")
})

test("other repositories stay others: a nested one, a submodule's kind, one to be cloned", () => {
  using repo = new TestRepo()
  using other = new TestRepo()
  repo.git("init", "--quiet", "nested")
  repo.git("init", "--quiet", "--separate-git-dir", join(repo.path, ".git/sub"), "sub")
  mkdirSync(join(repo.path, "to-clone"))
  const repos = { app: { gate: "exit 7" } }
  for (const root of ["nested", "sub", other.path]) {
    const config = parse(repo.path, { repos, agents: { a: { working_directory: { root } } } })
    expect([root, repoOf(config)?.gate]).toEqual([root, undefined])
  }
  for (const root of ["to-clone", "missing", join(other.folder, "missing")]) {
    const working_directory = { root, auto_clone: other.path }
    const config = parse(repo.path, { repos, agents: { a: { working_directory } } })
    expect([root, repoOf(config)?.gate]).toEqual([root, undefined])
  }
})

test("a folder is the same by its number, and a missing one by its path", () => {
  using repo = new TestRepo()
  const before = locate(repo.path, false)
  const moved = `${repo.path}-moved`
  renameSync(repo.path, moved)
  expect(locate(moved, false)).toEqual(before)
  renameSync(moved, repo.path)
  const link = join(repo.folder, "link")
  symlinkSync(repo.path, link)
  const gone = join(realpathSync(repo.path), "gone/x")
  expect(locate(join(link, "gone/x"), true)).toEqual({ folder: gone, repository: gone })
})

test("a link that leads elsewhere is noticed", () => {
  using repo = new TestRepo()
  using other = new TestRepo()
  const link = join(repo.folder, "link")
  symlinkSync(other.path, link)
  const places = new Places(repo.path)
  places.locate("../link", false)
  expect(places.haveMoved()).toBe(false)
  rmSync(link)
  symlinkSync(repo.path, link)
  expect(places.haveMoved()).toBe(true)
})
