import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { findHome } from "./home.ts"

function folder(...parts: string[]): string {
  const path = join(...parts)
  mkdirSync(path, { recursive: true })
  return path
}

function configure(dir: string): string {
  writeFileSync(join(dir, "coppice.yml"), "version: 1\n")
  return join(dir, "coppice.yml")
}

test("without a file the home is the repository's root, from anywhere in it", () => {
  using repo = new TestRepo()
  const expected = { home: repo.path, repo: repo.path, configPath: null }
  expect(findHome(repo.path)).toEqual(expected)
  expect(findHome(folder(repo.path, "a/b"))).toEqual(expected)
})

test("the nearest coppice.yml upwards makes its folder the home, also above repositories", () => {
  using repo = new TestRepo()
  const above = configure(repo.folder)
  const { path } = repo
  expect(findHome(path)).toEqual({ home: repo.folder, repo: path, configPath: above })

  const inside = configure(path)
  expect(findHome(folder(path, "a"))).toEqual({ home: path, repo: path, configPath: inside })
})

test("a linked worktree belongs to the home of the main one, whatever is checked out in it", () => {
  using repo = new TestRepo()
  const sub = folder(repo.path, "sub")
  const configPath = configure(sub)
  const linked = join(repo.folder, "linked")
  repo.git("worktree", "add", "--quiet", "-b", "work", linked)
  configure(linked)
  expect(findHome(linked)).toEqual({ home: repo.path, repo: repo.path, configPath: null })

  const linkedSub = folder(linked, "sub/deeper")
  expect(findHome(linkedSub)).toEqual({ home: sub, repo: repo.path, configPath })
})

test("a bare repository is its own home, also from its worktrees", () => {
  using repo = new TestRepo()
  const bare = join(repo.folder, "bare.git")
  const linked = join(repo.folder, "linked")
  repo.git("clone", "--quiet", "--bare", repo.path, bare)
  repo.gitIn(bare, "worktree", "add", "--quiet", linked, "main")
  const expected = { home: bare, repo: bare, configPath: null }
  expect(findHome(bare)).toEqual(expected)
  expect(findHome(join(bare, "refs"))).toEqual(expected)
  expect(findHome(linked)).toEqual(expected)
})

test("a bare repository in `.git` has its home around it", () => {
  using repo = new TestRepo()
  const project = folder(repo.folder, "project")
  repo.git("clone", "--quiet", "--bare", repo.path, join(project, ".git"))
  const expected = { home: project, repo: join(project, ".git"), configPath: null }
  expect(findHome(project)).toEqual(expected)
})

test("a repository whose git directory lies elsewhere is a repository like any other", () => {
  using repo = new TestRepo()
  const apart = join(repo.folder, "apart")
  const gitDir = join(repo.folder, "apart.git")
  repo.git("clone", "--quiet", `--separate-git-dir=${gitDir}`, repo.path, apart)
  expect(findHome(apart)).toEqual({ home: apart, repo: apart, configPath: null })
})

test("--home goes before COPPICE_HOME, which goes before the current folder", () => {
  using here = new TestRepo()
  using there = new TestRepo()
  using other = new TestRepo()
  const env = { COPPICE_HOME: there.path }
  expect(findHome(here.path, { env }).home).toBe(there.path)
  expect(findHome(here.path, { env, home: other.path }).home).toBe(other.path)
  expect(findHome(here.path, { home: "." }).home).toBe(here.path)
})

test("a home is a real path, however it was reached", () => {
  using repo = new TestRepo()
  const link = join(repo.folder, "link")
  symlinkSync(repo.path, link)
  expect(findHome(link).home).toBe(repo.path)
})

test("a folder without repository and file is no home, and the error says what would be", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "coppice-nowhere-")))
  try {
    const refused = { code: "home.not_found", blame: "user" }
    expect(() => findHome(dir)).toThrow(expect.objectContaining(refused))
    expect(() => findHome(join(dir, "gone"))).toThrow(/no folder/)
  } finally {
    rmSync(dir, { recursive: true })
  }
})
