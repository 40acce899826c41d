/** Which links lead a path on. `secret` is the user's own, beside the repository. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { withRepoLock } from "../../workspaces/locks/repo-lock.ts"
import { findRealPlace } from "./real-place.ts"

function setUp() {
  const repo = new TestRepo()
  const secret = join(repo.folder, "secret")
  mkdirSync(secret)
  writeFileSync(join(secret, "key"), "secret")
  mkdirSync(join(repo.path, "data"))
  const own = join(repo.folder, "own")
  mkdirSync(own)
  const at = (path: string) => join(repo.path, path)
  const refused = (path: string, link = path) => {
    const found = findRealPlace(path, [repo.path])
    expect(found).toEqual({ kind: "refused", link })
  }
  return { repo, secret, own, at, refused, [Symbol.dispose]: () => repo[Symbol.dispose]() }
}

test("no link in a repository of the home leads on: out of it, inside it, above the name, in a chain [43.31]", () => {
  using it = setUp()
  const { at, own, refused, secret } = it
  symlinkSync(join(secret, "key"), at(".env"))
  symlinkSync("../secret", at("tools"))
  symlinkSync(".git", at("data/git"))
  symlinkSync(at("data"), join(own, "mine"))
  refused(at(".env"))
  refused(at("tools/key"), at("tools"))
  refused(at("data/../tools/./key"), at("tools"))
  refused(join(own, "mine/git/config"), at("data/git"))
})

test("no link in a linked worktree, nor in a repository where another home works [43.31]", async () => {
  using it = setUp()
  const worktree = it.repo.worktree("other")
  symlinkSync(it.secret, join(worktree, "data"))
  const at = join(worktree, "data/key")
  expect(findRealPlace(at, [])).toEqual({ kind: "found", path: join(it.secret, "key") })
  await withRepoLock(it.at(".git"), async () => {})
  it.refused(at, join(worktree, "data"))
  rmSync(join(worktree, ".git")) // as an agent without a fence can
  mkdirSync(it.at("inner/.git"), { recursive: true })
  symlinkSync(it.secret, it.at("inner/data"))
  it.refused(it.at("inner/data"))
})

test("a link of the user's leads on, and a path without links is itself [43.31]", () => {
  using it = setUp()
  const { at, own, secret } = it
  symlinkSync("../secret", join(own, "mine"))
  const found = (path: string) => findRealPlace(path, [it.repo.path])
  expect(found(join(own, "mine/key"))).toEqual({ kind: "found", path: join(secret, "key") })
  expect(found(at("data"))).toEqual({ kind: "found", path: at("data") })
  expect(found(`${at("data")}/`)).toEqual({ kind: "found", path: at("data") })
})

test("a missing path, and a loop of links, is absent", () => {
  using it = setUp()
  symlinkSync("loop", join(it.own, "loop"))
  for (const path of [it.at("none"), join(it.secret, "key/x"), join(it.own, "loop"), "/\0"])
    expect(findRealPlace(path, []), path).toEqual({ kind: "absent" })
})
