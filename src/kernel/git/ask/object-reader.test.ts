import { execFileSync } from "node:child_process"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { readObjects } from "./cat-file.ts"
import { askObjects, isSharedName } from "./object-reader.ts"
import { readCommit, readTrees } from "./rev-parse.ts"

const info = (name: string) => ({ verb: "info", name }) as const

test.each(["sha1", "sha256"] as const)(
  "sees what another git did a moment ago: refs loose, packed and gone, objects new and packed (%s)",
  async (objectFormat) => {
    using repo = new TestRepo({ objectFormat })
    const read = () => readCommit(repo.path, "refs/heads/main")
    expect(await read()).toBe(repo.tip("main"))
    for (const n of [1, 2, 3]) {
      const made = repo.commit({ "a.txt": String(n) })
      expect(await read()).toBe(made)
      expect(await readTrees(repo.path, [made])).toEqual([repo.tip("main^{tree}")])
      repo.git("pack-refs", "--all", "--prune")
      expect(await read()).toBe(made)
      repo.git("repack", "--quiet", "-a", "-d")
      const [raw] = await readObjects(repo.path, [made])
      expect(raw?.trim()).toBe(repo.git("cat-file", "commit", made))
    }
    repo.git("update-ref", "refs/heads/main", "main~1")
    expect(await read()).toBe(repo.tip("main"))
    repo.git("checkout", "--quiet", "--detach")
    repo.git("branch", "-D", "main")
    expect(await read()).toBe(undefined)
  },
)

test("sees objects of a repository that became an alternate later", async () => {
  using repo = new TestRepo()
  using other = new TestRepo()
  const lent = other.commit({ "lent.txt": "lent" })
  const read = () => readCommit(repo.path, "refs/heads/lent")
  repo.git("repack", "--quiet", "-a", "-d")
  expect(await readCommit(repo.path, "refs/heads/main")).toBe(repo.tip("main"))
  expect(await readCommit(repo.path, lent), "it looks for what it lacks").toBe(undefined)
  const objects = join(other.path, ".git/objects")
  writeFileSync(join(repo.path, ".git/objects/info/alternates"), `${objects}\n`)
  repo.git("update-ref", "refs/heads/lent", lent)
  expect(await read()).toBe(lent)
})

test("answers many at once, in the order asked, with every byte", async () => {
  using repo = new TestRepo()
  const bytes = Buffer.from([0, 10, 255, 13, 10]).toString("latin1").repeat(30_000)
  repo.commit({ "odd.bin": Buffer.from(bytes, "latin1") })
  const blob = repo.tip("HEAD:odd.bin")
  const none = "0".repeat(40) as Oid
  const asked = await Promise.all([
    askObjects(repo.path, [
      { verb: "contents", name: blob },
      info("refs/heads/none"),
      { verb: "contents", name: none },
      info("refs/heads/main^{tree}"),
    ]),
    askObjects(repo.path, [{ verb: "contents", name: blob }, info("refs/heads/main^{blob}")]),
  ])
  const whole = { oid: blob, type: "blob", sizeBytes: bytes.length, content: bytes }
  const tree = expect.objectContaining({ oid: repo.tip("main^{tree}"), type: "tree", content: "" })
  expect(asked).toEqual([
    [whole, undefined, undefined, tree],
    [whole, undefined],
  ])
})

test("says that an object is too large, and goes on", async () => {
  using repo = new TestRepo()
  repo.commit({ "large.txt": "x".repeat(65 * 1024 * 1024) })
  const large = repo.tip("HEAD:large.txt")
  const ask = (verb: "info" | "contents") => askObjects(repo.path, [{ verb, name: large }])
  expect(await ask("info")).toMatchObject([{ sizeBytes: 65 * 1024 * 1024 }])
  await expect(ask("contents")).rejects.toMatchObject({ code: "git.output_too_long" })
  expect(await ask("info")).toMatchObject([{ oid: large }])
})

test("a name that means something else in each worktree is none to ask about", () => {
  for (const name of ["HEAD", "main", "refs/bisect/bad", "refs/heads/a\nb", "@{-1}"])
    expect(isSharedName(name), name).toBe(false)
})

test("a git of its own answers in a folder of a worktree, and in a bare repository", async () => {
  using repo = new TestRepo()
  repo.commit({ "d/a.txt": "a" })
  const bare = repo.clone("bare.git", "--bare")
  for (const cwd of [join(repo.path, "d"), bare])
    expect(await askObjects(cwd, [info("refs/heads/main"), info("refs/heads/none")])).toMatchObject(
      [{ oid: repo.tip("main") }, undefined],
    )
})

test("serves more repositories than it keeps, and a new one in the same place", async () => {
  for (let n = 0; n < 6; n++) {
    using repo = new TestRepo()
    expect(await readCommit(repo.path, "refs/heads/main")).toBe(repo.tip("main"))
    if (n < 5) continue
    rmSync(repo.path, { recursive: true })
    repo.gitIn(repo.folder, "init", "--quiet", "--initial-branch=main", repo.path)
    expect(await readCommit(repo.path, "refs/heads/main")).toBe(undefined)
    const made = repo.commit({ "b.txt": "anew" })
    expect(await readCommit(repo.path, "refs/heads/main")).toBe(made)
  }
})

/** Git waits there for a writer. */
function blockReading(repo: TestRepo, oid: Oid) {
  const file = join(repo.path, ".git/objects", oid.slice(0, 2), oid.slice(2))
  renameSync(file, `${file}.away`)
  execFileSync("mkfifo", [file])
  return { oid, unblock: () => renameSync(`${file}.away`, file) }
}

test("a silent git is killed however often it is asked, and only the blocked question fails [12.10]", async () => {
  const answerMsMax = 400
  using repo = new TestRepo()
  const { oid, unblock } = blockReading(repo, repo.tip("HEAD:README.md"))
  const main = info("refs/heads/main")
  const blocked = askObjects(repo.path, [{ verb: "contents", name: oid }], answerMsMax)
  const others: Promise<unknown>[] = []
  const failed = expect(blocked).rejects.toMatchObject({ code: "git.timed_out", transient: true })
  for (let n = 0; n < 10; n++) {
    others.push(askObjects(repo.path, [main], answerMsMax))
    await delay(20)
  }
  await failed
  for (const other of others) expect(await other).toMatchObject([{ oid: repo.tip("main") }])
  unblock()
  expect(await askObjects(repo.path, [{ verb: "contents", name: oid }])).toMatchObject([
    { content: "hello\n" },
  ])
})
