import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { GitPath } from "../../../base/ids.ts"
import { joinBytes } from "../start/git-path.ts"
import { addAll } from "./add.ts"
import { commitIndex } from "./commit.ts"
import { writeTree } from "./write-tree.ts"

const tree = (repo: TestRepo, treeish: string) =>
  repo.git("ls-tree", "-r", "-z", "--name-only", treeish).split("\0").filter(Boolean)

test("stages everything but what was placed, what is ignored, and nested repositories", async () => {
  using repo = new TestRepo()
  repo.git("config", "core.safecrlf", "true")
  repo.git("config", "core.autocrlf", "input")
  repo.commit({
    "file/or/folder": "f",
    gone: "g",
    "kept/x": "k",
    edited: "e",
    ".gitignore": "*.o\n.env\n",
  })
  repo.write({ "file/or/folder": null, gone: null, edited: "E", "x.o": "ignored" })
  for (const name of ["file", "kept"]) rmSync(join(repo.path, name), { recursive: true })
  repo.write({
    file: "now a file",
    kept: "now a file",
    crlf: "a\r\n",
    ".env": "placed",
    "cache/x": "placed",
    cachet: "c",
  })
  execFileSync("git", ["init", "--quiet", join(repo.path, "nested")], { env: repo.env })
  repo.write({ "nested/f": "x" })
  writeFileSync(joinBytes(repo.path, "odd\xff" as GitPath), "")

  const staged = await addAll(repo.path, { except: [".env", "cache/", "kept/x"] })

  expect(staged).toContain("odd\xff")
  const files = [".gitignore", "README.md", "cachet", "crlf", "edited", "file", "kept", "odd\ufffd"]
  expect(tree(repo, await writeTree(repo.path))).toEqual(files)
  expect(await addAll(repo.path, { except: [".env", "cache"] })).toEqual([])
})

test("stages into another index and leaves the worktree's own alone", async () => {
  using repo = new TestRepo()
  repo.write({ a: "a" })
  const indexFile = join(repo.folder, "index")
  await addAll(repo.path, { except: [], indexFile })
  expect(tree(repo, await writeTree(repo.path, { indexFile }))).toEqual(["README.md", "a"])
  expect(repo.git("status", "--porcelain")).toBe("?? a")
})

test("commits the index as it is, past hooks, signatures and clean-up", async () => {
  using repo = new TestRepo()
  repo.git("config", "commit.gpgSign", "true")
  repo.git("config", "gpg.program", "false")
  const hook = join(repo.path, ".git/hooks/pre-commit")
  writeFileSync(hook, "#!/bin/sh\nexit 1\n")
  chmodSync(hook, 0o755)
  repo.write({ a: "a" })
  repo.git("add", "a")
  const author = "agent <agent@example.com> 1000000000 +0000"

  const result = await commitIndex(repo.path, { message: "# work\n\nüber", author })

  expect(result).toEqual({ kind: "committed", commit: repo.tip("main") })
  expect(repo.git("log", "-1", "--format=%an %cn%n%B")).toBe("agent c\n# work\n\nüber")
  expect(repo.git("status", "--porcelain")).toBe("")
  expect(await commitIndex(repo.path, { message: "again" })).toEqual({ kind: "unchanged" })
})

test("commits on a detached HEAD and on a branch to be born", async () => {
  using repo = new TestRepo()
  for (const how of ["--detach", "--orphan=new"]) {
    repo.git("checkout", "--quiet", how.split("=")[0]!, ...how.split("=").slice(1))
    repo.write({ a: how })
    repo.git("add", "a")
    expect(await commitIndex(repo.path, { message: how })).toMatchObject({ kind: "committed" })
    expect(repo.git("show", "HEAD:a")).toBe(how)
  }
  expect(repo.git("show", "main:README.md")).toBe("hello")
})

test("a held index lock is an error that says which file", async () => {
  using repo = new TestRepo()
  repo.write({ a: "a" })
  const lock = join(repo.path, ".git/index.lock")
  writeFileSync(lock, "")
  const error = {
    code: "git.index_locked",
    transient: true,
    message: expect.stringContaining(lock),
  }
  await expect(addAll(repo.path, { except: [] })).rejects.toMatchObject(error)
  expect(readFileSync(lock, "utf8")).toBe("")
})
