import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { changeTrust } from "../../features/trust/trust-record.ts"
import { findHome } from "./home.ts"
import { stateDir } from "./state-dir.ts"

function folder(...parts: string[]): string {
  const path = join(...parts)
  mkdirSync(path, { recursive: true })
  return path
}

function configure(dir: string): string {
  writeFileSync(join(dir, "coppice.yml"), "version: 1\n")
  return join(dir, "coppice.yml")
}

test("without a file the home is the repository's root, from anywhere in it [31.1]", () => {
  using repo = new TestRepo()
  const expected = { home: repo.path, repo: repo.path, configPath: null }
  expect(findHome(repo.path)).toEqual(expected)
  expect(findHome(folder(repo.path, "a/b"))).toEqual(expected)
})

test("the nearest coppice.yml up to the repository's root makes its folder the home [31.4]", () => {
  using repo = new TestRepo()
  const inside = configure(repo.path)
  const { path } = repo
  expect(findHome(folder(path, "a"))).toEqual({ home: path, repo: path, configPath: inside })
  const nearer = configure(folder(path, "a/b"))
  expect(findHome(folder(path, "a/b/c")).configPath).toBe(nearer)
})

test("a coppice.yml above the repository counts only where a person names its folder [31.4]", () => {
  using repo = new TestRepo()
  const above = configure(repo.folder)
  const { path, folder: outer } = repo
  expect(findHome(path)).toEqual({ home: path, repo: path, configPath: null })
  expect(() => findHome(folder(outer, "other"))).toThrow(/holds no coppice.yml/)

  const expected = { home: outer, repo: null, configPath: above }
  expect(findHome(outer)).toEqual(expected)
  expect(findHome(path, { home: outer })).toEqual(expected)
  expect(findHome(path, { env: { COPPICE_HOME: outer } })).toEqual(expected)
})

test("a repository that was approved in a home above it belongs to that home [31.4]", () => {
  using repo = new TestRepo()
  const { path, folder: above } = repo
  const env = { COPPICE_STATE: join(above, "state") }
  const configPath = configure(above)
  const own = { home: path, repo: path, configPath: null }
  const approve = (git: object) =>
    changeTrust(stateDir(above, env), (now) => ({ ...now, git: { ...now.git, ...git } }))
  approve({ [join(above, "other/.git")]: "" })
  expect(findHome(path, { env })).toEqual(own)

  approve({ [join(path, ".git")]: "" })
  const expected = { home: above, repo: path, configPath }
  const linked = join(above, "linked")
  repo.git("worktree", "add", "--quiet", "-b", "work", linked)
  for (const place of [path, folder(path, "a"), linked])
    expect(findHome(place, { env }), place).toEqual(expected)
  expect(findHome(path, { env, home: "." })).toEqual(own)

  writeFileSync(join(stateDir(path, env), "coppice.db"), "")
  expect(findHome(path, { env })).toEqual(own)
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

test("in a folder with a bare repository and its worktrees the folder is the home, and the main one's file counts [31.5]", () => {
  using repo = new TestRepo()
  const project = folder(repo.folder, "project")
  repo.git("clone", "--quiet", "--bare", repo.path, join(project, ".bare"))
  writeFileSync(join(project, ".git"), "gitdir: ./.bare\n")
  const bare = { home: project, repo: join(project, ".bare"), configPath: null }
  expect([findHome(project), findHome(join(project, ".bare"))]).toEqual([bare, bare])

  repo.gitIn(project, "worktree", "add", "--quiet", "main", "main")
  repo.gitIn(project, "worktree", "add", "--quiet", "-b", "feature", "feature")
  configure(join(project, "feature"))
  expect(findHome(join(project, "feature"))).toEqual(bare)
  const expected = { ...bare, configPath: configure(join(project, "main")) }
  for (const place of ["", "main", "feature", ".bare"])
    expect(findHome(join(project, place)), place).toEqual(expected)

  repo.gitIn(join(project, "main"), "switch", "--quiet", "-c", "elsewhere")
  expect(findHome(project)).toEqual(bare)
  const configPath = configure(project)
  expect(findHome(join(project, "feature"))).toEqual({ ...bare, configPath })
})

test("a repository is bare by the last `core.bare`, however it is spelt", () => {
  using repo = new TestRepo()
  const file = join(repo.path, ".git/config")
  const kept = readFileSync(file, "utf8")
  const repoWith = (text: string) => {
    writeFileSync(file, `${kept}${text}`)
    return findHome(repo.path).repo
  }
  for (const on of ["bare", "bare = yes", "Bare=1 # a note", "bare = false\n\tbare = on"])
    expect(repoWith(`[core]\n\t${on}\n`), on).toBe(join(repo.path, ".git"))
  for (const off of ["bare =", "bare = no", "bare = true\n\tbare = 0"])
    expect(repoWith(`[core]\n\t${off}\n`), off).toBe(repo.path)
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

test("a folder with neither a repository nor a coppice.yml is not a home, and the error says what would be", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "coppice-nowhere-")))
  try {
    const refused = { code: "home.not_found", blame: "user" }
    expect(() => findHome(dir)).toThrow(expect.objectContaining(refused))
    expect(() => findHome(join(dir, "gone"))).toThrow(/no folder/)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

const isRoot = process.geteuid?.() === 0

test.skipIf(!isRoot)("files of another user are refused, as git does (as root) [31.6]", () => {
  using repo = new TestRepo()
  const file = configure(repo.path)
  const refused = expect.objectContaining({ code: "home.foreign", blame: "user" })
  const env = { HOME: repo.folder, PATH: process.env["PATH"] }
  for (const path of [file, repo.path, join(repo.path, ".git")]) {
    chownSync(path, 65534, 65534)
    expect(() => findHome(repo.path, { env })).toThrow(refused)
    chownSync(path, 0, 0)
  }
  expect(findHome(repo.path, { env }).configPath).toBe(file)

  chownSync(file, 65534, 65534)
  expect(findHome(repo.path, { env: { ...env, SUDO_UID: "65534" } }).configPath).toBe(file)
  for (const [value, isSafe] of [
    [repo.path, true],
    [`${repo.folder}/*`, true],
    ["*", true],
    [`${repo.folder}/other`, false],
  ] as const) {
    writeFileSync(join(repo.folder, ".gitconfig"), `[safe]\n\tdirectory = ${value}\n`)
    if (isSafe) expect(findHome(repo.path, { env }).configPath).toBe(file)
    else expect(() => findHome(repo.path, { env })).toThrow(refused)
  }
  // The repository's own settings do not count.
  rmSync(join(repo.folder, ".gitconfig"))
  repo.git("config", "safe.directory", "*")
  expect(() => findHome(repo.path, { env })).toThrow(refused)
})

test("files that every user can write are refused [31.6]", () => {
  using repo = new TestRepo()
  const file = configure(repo.path)
  for (const path of [file, repo.path]) {
    const { mode } = statSync(path)
    chmodSync(path, 0o777)
    expect(() => findHome(repo.path)).toThrow(/can be written by every user/)
    chmodSync(path, mode)
  }
  expect(findHome(repo.path).configPath).toBe(file)
})
