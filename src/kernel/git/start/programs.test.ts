import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { lookUpRepository } from "../../../api/client/repository.ts"
import { readGitPrograms } from "../../../features/trust/git-config.ts"
import { withRepoLock } from "../../workspaces/locks/repo-lock.ts"
import { readRemote, readRemoteBranch } from "../ask/remote-branch.ts"
import { findRepository } from "../ask/repository.ts"
import { fetchRemote } from "../change/fetch.ts"
import { LIST_CONFIG } from "./config-cache.ts"
import { baseEnvironment } from "./environment.ts"
import { environmentOf, git, readConfigAt } from "./exec.ts"
import { listGitPrograms } from "./program-settings.ts"
import { approveProgramsBy, hashPrograms, overrule } from "./programs.ts"

afterEach(() => approveProgramsBy(() => false))

const entry = (scope: string, key: string, value: string) => ({ scope, key, value, file: "f" })

test("a program of the repository's configuration gives way to the user's, or to none [14.1]", () => {
  const config = [
    entry("global", "filter.lfs.clean", "git-lfs clean -- %f"),
    entry("global", "credential.helper", "store"),
    entry("system", "credential.https://x.example.helper", "!gh auth"),
    entry("local", "filter.lfs.clean", "evil"),
    entry("worktree", "filter.x.process", "evil"),
    entry("local", "core.sshcommand", "evil"),
    entry("local", "credential.helper", "evil"),
    entry("local", "core.gitproxy", "evil"),
    entry("local", "hook.a b.command", "evil"),
    entry("local", "remote.origin.url", "data"),
  ]
  expect(overrule(config, { commonDir: "/repo/.git", sections: "" })).toEqual({
    overrides: [
      ["hook.a b.enabled", "false"],
      ["filter.lfs.clean", "git-lfs clean -- %f"],
      ["filter.x.process", ""],
      ["core.sshcommand", "ssh"],
      ["credential.helper", ""],
      ["credential.helper", "store"],
      ["credential.https://x.example.helper", "!gh auth"],
    ],
    env: { GIT_PROXY_COMMAND: "" },
  })
})

test("a repository that names no program adds nothing to what each git is given", async () => {
  using repo = new TestRepo()
  const { GIT_CONFIG_COUNT: usual } = baseEnvironment(process.env)
  expect(await environmentOf(repo.path)).toMatchObject({ GIT_CONFIG_COUNT: usual })
})

/** A filter that leaves a mark; the file in the index is older than the one on disk. */
function withFilter(repo: TestRepo): string {
  const mark = join(repo.folder, "mark")
  repo.git("config", "filter.x.clean", `touch ${mark}; cat`)
  repo.write({ ".gitattributes": "*.txt filter=x\n", "a.txt": "a" })
  return mark
}

test("a program of the repository runs once a person has approved it, and no longer when it changes [14.3]", async () => {
  using repo = new TestRepo()
  const mark = withFilter(repo)
  await git(repo.path, ["add", "a.txt"])
  expect(existsSync(mark)).toBe(false)
  const programs = listGitPrograms(await readConfigAt(repo.path), "")
  expect(programs).toMatchObject([{ scope: "local", key: "filter.x.clean" }])
  const approved = hashPrograms(programs)
  const commonDir = realpathSync(join(repo.path, ".git"))
  approveProgramsBy((dir, hash) => dir === commonDir && hash === approved)
  repo.write({ "a.txt": "b" })
  await git(repo.path, ["add", "a.txt"])
  expect(existsSync(mark)).toBe(true)

  repo.git("config", "filter.x.clean", `touch ${mark}2; cat`)
  repo.write({ "a.txt": "c" })
  await git(repo.path, ["add", "a.txt"])
  expect(existsSync(`${mark}2`)).toBe(false)
})

test("a program that the user has set runs [14.2]", async () => {
  using repo = new TestRepo()
  repo.userConfig("filter.up.clean", "tr a-z A-Z")
  repo.git("config", "filter.up.clean", "tr a-z x")
  repo.write({ ".gitattributes": "*.txt filter=up\n", "a.txt": "a" })
  await git(repo.path, ["add", "a.txt"])
  expect(repo.git("show", ":a.txt")).toBe("A")
})

test.each([
  ["itself", "shared", ""],
  ["behind a link", "link/shared", ""],
  ["one that it includes", "first", "[include]\n\tpath = ../other/shared\n"],
  ["one on a branch", "first", '[includeIf "onbranch:main"]\n\tpath = ../other/shared\n'],
])(
  "the user's own configuration includes a file that an agent can land, %s: it counts as the repository's [43.38]",
  async (_, name, first) => {
    using repo = new TestRepo()
    const mark = withFilter(repo)
    repo.git("config", "--unset", "filter.x.clean")
    const other = join(repo.folder, "other")
    mkdirSync(other)
    symlinkSync(other, join(repo.path, "link"))
    writeFileSync(join(repo.path, "first"), first)
    writeFileSync(
      join(name === "shared" ? repo.path : other, "shared"),
      `[filter "x"]\n\tclean = "touch ${mark}; cat"\n`,
    )
    repo.userConfig("include.path", join(repo.path, name))
    await git(repo.path, ["add", "a.txt"])
    expect(existsSync(mark)).toBe(true)
    rmSync(mark)
    await withRepoLock(join(repo.path, ".git"), async () => {}) // from now on agents land here
    repo.userConfig("advice.x", "changed") // so that git is asked again
    repo.write({ "a.txt": "b" })
    await git(repo.path, ["add", "a.txt"])
    expect(existsSync(mark)).toBe(false)
    const { GIT_CONFIG_GLOBAL } = process.env
    const found = await readGitPrograms(repo.path, { ...process.env, GIT_CONFIG_GLOBAL })
    const programs = listGitPrograms(await readConfigAt(repo.path), "")
    expect(found?.programs).toEqual(programs)
    expect(programs).toMatchObject([{ scope: "local", key: "filter.x.clean" }])
  },
)

test("a key in other bytes than text cannot be overruled, so git does not run [14.1]", async () => {
  using repo = new TestRepo()
  const bytes = Buffer.from('[filter "\xff"]\n\tclean = x\n', "latin1")
  writeFileSync(join(repo.path, ".git/config"), bytes, { flag: "a" })
  await expect(git(repo.path, ["status"])).rejects.toThrow("not UTF-8")
})

test("a token that we were started with reaches no program of git's [14.4]", async () => {
  using repo = new TestRepo()
  process.env["GITHUB_TOKEN"] = "secret"
  const seen = join(repo.folder, "seen")
  repo.userConfig("filter.x.clean", `env > ${seen}; cat`)
  repo.write({ ".gitattributes": "*.txt filter=x\n", "a.txt": "a" })
  await git(repo.path, ["add", "a.txt"])
  delete process.env["GITHUB_TOKEN"]
  const names = execFileSync("cut", ["-d=", "-f1", seen], { encoding: "utf8" }).split("\n")
  expect(names).not.toContain("GITHUB_TOKEN")
  expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "GIT_CONFIG_COUNT"]))
})

test("git 2.54 and later find hooks in the configuration: each is switched off by event and by name [14.1]", async () => {
  using repo = new TestRepo()
  repo.git("config", "hook.mine.command", "true")
  const { stdout } = await git(repo.path, LIST_CONFIG)
  expect(stdout).toContain("hook.reference-transaction.enabled\nfalse\0")
  expect(stdout).toContain("hook.mine.enabled\nfalse\0")
})

test.each([
  ["core.sshCommand", "ssh://localhost/nowhere"],
  ["remote.origin.uploadpack", undefined],
  ["core.gitProxy", "git://localhost:1/nowhere"],
  ["protocol.ext.allow", "ext::sh -c touch% MARK"],
])("fetching runs no program by %s [14.1]", async (key, url) => {
  using repo = new TestRepo()
  const mark = join(repo.folder, "mark")
  repo.git("remote", "add", "origin", url?.replace("MARK", mark) ?? repo.clone("o.git", "--bare"))
  repo.git("config", key, key === "protocol.ext.allow" ? "always" : `sh -c ': > ${mark}'`)
  await fetchRemote(repo.path, "origin", { timeoutMs: 20_000 })
  expect(existsSync(mark)).toBe(false)
})

test("an object that is missing is not fetched by a program of a promisor's [14.5]", async () => {
  using repo = new TestRepo()
  const mark = join(repo.folder, "mark")
  const blob = repo.tip("HEAD:README.md")
  const settings = {
    "extensions.partialClone": "evil",
    "remote.evil.url": repo.clone("o.git", "--bare"),
    "remote.evil.promisor": "true",
    "remote.evil.uploadpack": `sh -c ': > ${mark}'`,
  }
  for (const [key, value] of Object.entries(settings)) repo.git("config", key, value)
  execFileSync("rm", ["-f", join(repo.path, ".git/objects", blob.slice(0, 2), blob.slice(2))])
  await expect(git(repo.path, ["cat-file", "-p", blob])).rejects.toThrow()
  expect(existsSync(mark)).toBe(false)
})

test.each<Record<string, string>>([
  { "remote.origin.url": "evil::x" },
  { "remote.origin.url": "evil::x", "protocol.evil.allow": "always", "protocol.allow": "always" },
  { "remote.origin.url": "/nowhere", "remote.origin.vcs": "evil", "protocol.evil.allow": "always" },
  { "remote.origin.url": "here:x", "url.evil::.insteadOf": "here:" },
])("a protocol that an alias serves is not used: %j [14.1]", async (settings) => {
  using repo = new TestRepo()
  const mark = join(repo.folder, "mark")
  repo.git("config", "alias.remote-evil", `!: > ${mark}; false`)
  for (const [key, value] of Object.entries(settings)) repo.git("config", key, value)
  const network = { timeoutMs: 20_000 }
  await fetchRemote(repo.path, "origin", network)
  const remote = await readRemote(repo.path, "origin")
  if (remote) await readRemoteBranch(repo.path, { remote, branch: "main" }, network)
  expect(existsSync(mark)).toBe(false)
  await expect(git(repo.path, ["remote-evil"])).rejects.toThrow()
  expect(existsSync(mark), "nor by its name").toBe(false)
})

test("a protocol that the user's configuration allows is used, and one that it forbids is not [14.2]", async () => {
  using repo = new TestRepo()
  const mark = join(repo.folder, "mark")
  repo.git("remote", "add", "folder", repo.clone("o.git", "--bare"))
  repo.userConfig("protocol.mine.allow", "always")
  repo.userConfig("protocol.file.allow", "never")
  repo.userConfig("alias.remote-mine", `!: > ${mark}; false`)
  repo.git("remote", "add", "mine", "mine::x")
  repo.git("config", "protocol.file.allow", "always")
  await fetchRemote(repo.path, "mine", { timeoutMs: 20_000 })
  expect(existsSync(mark)).toBe(true)
  expect(await fetchRemote(repo.path, "folder", { timeoutMs: 20_000 })).toMatchObject({
    message: expect.stringContaining("transport 'file' not allowed"),
  })
})

test("a forged commit-graph does not change what a branch contains [14.6]", async () => {
  using repo = new TestRepo()
  const side = repo.worktree("side")
  repo.commit({ "s.txt": "s" }, "S1", side)
  repo.git("commit-graph", "write", "--reachable")
  const graphs = join(repo.path, ".git/objects/info")
  expect(readdirSync(graphs)).toContain("commit-graph")
  chmodSync(join(graphs, "commit-graph"), 0o644)
  writeFileSync(join(graphs, "commit-graph"), "forged")
  const asked = await git(repo.path, ["rev-list", "--count", "main..side"])
  expect(asked, "it was not even opened").toMatchObject({ stdout: "1\n", stderr: "" })
})

test("a main worktree that the configuration moves elsewhere is refused [14.7]", async () => {
  using repo = new TestRepo()
  const elsewhere = join(repo.folder, "elsewhere")
  mkdirSync(elsewhere)
  const linked = repo.worktree("side")
  repo.git("config", "core.worktree", elsewhere)
  await expect(git(repo.path, ["status"])).rejects.toMatchObject({ code: "git.worktree_elsewhere" })
  await expect(findRepository(linked)).rejects.toMatchObject({ code: "git.repository_refused" })
  repo.git("config", "core.worktree", repo.path)
  expect(await findRepository(linked)).toMatchObject({ root: repo.path })
})

test("a git directory that leads into another repository is refused, unless it is a linked worktree's [14.7]", async () => {
  using repo = new TestRepo()
  using secret = new TestRepo()
  repo.write({
    "sub/a.txt": "",
    "apart/.git": "gitdir: ../apart.git\n",
    "apart.git/HEAD": "ref: refs/heads/main\n",
  })
  const [apart, sub] = [join(repo.path, "apart"), join(repo.path, "sub")]
  for (const dir of [".git", "apart.git"])
    writeFileSync(join(repo.path, dir, "commondir"), `${secret.path}/.git\n`)
  const refused = { message: expect.stringContaining("commondir cannot be read") }
  for (const place of [repo.path, apart])
    await expect(git(place, ["log"]), place).rejects.toMatchObject(refused)
  for (const place of [repo.path, apart, sub])
    await expect(findRepository(place), place).rejects.toMatchObject(refused)
  for (const place of [repo.path, apart])
    expect(lookUpRepository(place)).toMatchObject({ repo: place })
})

test("with extensions.worktreeConfig, what the shared configuration makes of a linked worktree is refused [14.7]", async () => {
  using repo = new TestRepo()
  const linked = repo.worktree("side")
  const status = () => git(linked, ["status"])
  const isRefused = (key: string) =>
    expect(status()).rejects.toMatchObject({
      code: "git.worktree_elsewhere",
      message: expect.stringContaining(`${repo.path}/.git/config sets ${key}`),
    })
  repo.git("config", "core.bare", "yes")
  await status()
  repo.gitIn(linked, "config", "extensions.worktreeConfig", "true")
  await isRefused("core.bare")
  repo.gitIn(linked, "config", "core.bare", "false")
  await status()
  repo.gitIn(linked, "config", "core.worktree", repo.path)
  await isRefused("core.worktree")
})

test("a bare repository that came with the files of another is refused [14.7]", async () => {
  using repo = new TestRepo()
  repo.clone("repo/fixture.git", "--bare")
  const bare = join(repo.path, "fixture.git")
  expect(await findRepository(bare), "the user's own, beside the files").toMatchObject({
    bare: true,
  })
  repo.write({ "fixture.git/refs/heads/.keep": "" })
  repo.git("add", "--force", "fixture.git")
  await expect(findRepository(bare)).rejects.toMatchObject({ code: "git.repository_refused" })
  await expect(findRepository(join(bare, "objects"))).rejects.toMatchObject({
    code: "git.repository_refused",
  })
})
