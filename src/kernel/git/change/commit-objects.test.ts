import { afterEach, expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { identLine, readCommitter } from "../ask/settings.ts"
import { commitTree } from "./commit-objects.ts"

afterEach(() => vi.unstubAllEnvs())

test("makes the commit that git would make", async () => {
  using repo = new TestRepo()
  const [tree, parent] = [repo.tip("HEAD^{tree}"), repo.tip("HEAD")]
  const [author, committer] = [
    "a <a@example.com> 1000000060 +0000",
    "c <c@example.com> 1000000060 +0000",
  ]
  const oid = await commitTree(repo.path, {
    tree,
    parents: [parent],
    message: "grün",
    author,
    committer,
  })
  expect(oid).toBe(repo.git("commit-tree", tree, "-p", parent, "-m", "grün"))
})

test("commits carry the configured identity, else ours, never a guess", async () => {
  using repo = new TestRepo()
  vi.stubEnv("EMAIL", undefined)
  const commit = { tree: repo.tip("HEAD^{tree}"), parents: [], message: "m" }
  const by = async () =>
    repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>", await commitTree(repo.path, commit))

  expect(await by()).toBe("c <c@example.com> c <c@example.com>")
  repo.git("config", "--unset", "user.name")
  repo.git("config", "--unset", "user.email")
  repo.git("config", "user.useConfigOnly", "true")
  expect(await by()).toBe("Coppice <coppice@localhost> Coppice <coppice@localhost>")
})

test("an ident is one line", async () => {
  expect(identLine({ name: "a <b>\nc", email: "<x@y>" }, 1999)).toBe("a bc <x@y> 1 +0000")
  using repo = new TestRepo()
  repo.git("config", "user.name", "Jürgen")
  expect((await readCommitter(repo.path)).name).toBe("J\xc3\xbcrgen")
})
