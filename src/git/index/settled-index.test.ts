import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { RefName } from "../../core/ids.ts"
import { commitLeftovers } from "../../landing/snapshot/leftovers.ts"
import { gitDir } from "../repository/rev-parse.ts"
import { onIndexCopy } from "./index-copy.ts"
import { FIELDS, readEntries } from "./index-entries.ts"
import { findFilledMs, markFilled } from "./settled-index.ts"
import { readStatus } from "./status.ts"

const FILES = ["a", "b", "c", "d/x", "e", "f", "same", "touched"]
const nowS = () => Math.floor(Date.now() / 1000)

/** A worktree that was filled and then edited, all within one second. */
async function filled(repo: TestRepo, edit: (path: (name: string) => string) => void) {
  repo.commit(Object.fromEntries(FILES.map((name) => [name, `old ${name}\n`])))
  let tries = 0
  return await waitFor("all within one second", async () => {
    const startedS = nowS()
    const worktree = repo.worktree(`w${tries++}`)
    await markFilled(worktree, await gitDir(worktree))
    edit((name) => join(worktree, name))
    return nowS() === startedS ? worktree : undefined
  })
}

/** As an editor that wants to leave no trace: as many bytes, the same file, the same time. */
function slip(file: string, text: string): void {
  const script = 'touch -r "$1" "$1~"; printf "%s\n" "$2" > "$1"; touch -r "$1~" "$1"; rm "$1~"'
  execFileSync("sh", ["-c", script, "sh", file, text])
}

/** By path: whether git is told that the file is as the index has it. */
async function certain(worktree: string): Promise<Record<string, boolean>> {
  return await onIndexCopy(worktree, async (indexFile) => {
    const bytes = readFileSync(indexFile)
    const entries = readEntries(bytes) ?? []
    return Object.fromEntries(
      entries.map(({ path, at }) => [path, bytes.readUInt32BE(at + FIELDS.mtime) > 0]),
    )
  })
}

test("whatever is edited in the second of the fill is seen, and nothing else is read again", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => {
    writeFileSync(path("a"), "new a\n")
    slip(path("b"), "new b")
    writeFileSync(path("c.new"), "new c\n")
    const { atime, mtime } = statSync(path("c"))
    utimesSync(path("c.new"), atime, mtime)
    renameSync(path("c.new"), path("c"))
    renameSync(path("d"), path("moved"))
    symlinkSync("moved", path("d"))
    chmodSync(path("e"), 0o755)
    rmSync(path("f"))
    slip(path("touched"), "old touched")
  })
  expect(findFilledMs(await gitDir(worktree)), "git would read all again").toBeDefined()
  const edits = { a: false, b: false, c: false, e: false, f: false, touched: false }
  expect(await certain(worktree)).toMatchObject({ ...edits, same: true, "README.md": true })
  const status = await readStatus(worktree)
  expect(status.unstaged).toEqual(["a", "b", "c", "d/x", "e", "f"])
  expect(status.untracked).toEqual(["d", "moved/x"])
})

test("a commit of leftovers takes them all, and hides nothing that comes right after it", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => slip(path("b"), "new b"))
  const ref = repo.gitIn(worktree, "symbolic-ref", "HEAD") as RefName
  const of = { commit: repo.tip("main"), ref, message: "left", placed: [] }
  expect(await commitLeftovers(worktree, of)).toMatchObject({ kind: "committed" })
  expect(repo.gitIn(worktree, "show", "HEAD:b")).toBe("new b")
  const why = "the index is as old as what it says of files"
  expect(findFilledMs(await gitDir(worktree)), why).toBeDefined()
  slip(join(worktree, "same"), "new same")
  slip(join(worktree, "b"), "NEW b")
  expect((await readStatus(worktree)).unstaged).toEqual(["b", "same"])
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("M b\n M same")
})

test("of what an agent has staged git still knows that it is as staged, once leftovers are committed", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => {
    writeFileSync(path("a"), "new a\n")
    execFileSync("git", ["add", "a"], { cwd: path("."), env: repo.env })
    writeFileSync(path("b"), "new b\n")
  })
  const ref = repo.gitIn(worktree, "symbolic-ref", "HEAD") as RefName
  const of = { commit: repo.tip("main"), ref, message: "left", placed: [] }
  expect(findFilledMs(await gitDir(worktree)), "git would read all again").toBeDefined()
  expect(await commitLeftovers(worktree, of)).toMatchObject({ kind: "committed" })
  expect(repo.gitIn(worktree, "diff-files", "--name-only")).toBe("")
})

test("the mark itself was given an old time, by which a file system shows whether change times can be set", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("w")
  const dir = await gitDir(worktree)
  await markFilled(worktree, dir)
  const { mtimeMs, ctimeMs } = statSync(join(dir, "coppice-filled"))
  expect(mtimeMs).toBe(0)
  expect(ctimeMs).toBeGreaterThan(statSync(join(dir, "index")).ctimeMs)
})

test("what was staged while leftovers were gathered is not lost", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => writeFileSync(path("a"), "new a\n"))
  await onIndexCopy(worktree, async (_, copy) => {
    repo.write({ late: "late\n" }, worktree)
    repo.gitIn(worktree, "add", "late")
    expect(await copy.install()).toEqual({ kind: "changed" })
  })
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("M a\nA  late")
})

test("an index that is not of the usual kind is left to git", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => slip(path("b"), "new b"))
  for (const how of [["--index-version", "4"], ["--split-index"]]) {
    repo.gitIn(worktree, "update-index", ...how)
    expect((await readStatus(worktree)).unstaged).toEqual(["b"])
  }
})

test("nothing is certain of files on another disk than the mark", async ({ skip }) => {
  using repo = new TestRepo()
  const { dev } = statSync(repo.folder)
  const disks = ["/dev/shm", "/var/tmp"].filter((folder) => existsSync(folder))
  const other = disks.find((folder) => statSync(folder).dev !== dev) ?? skip("there is one disk")
  await using folder = await mkdtempDisposable(join(other, "coppice-"))
  const worktree = join(folder.path, "w")
  repo.git("worktree", "add", "--quiet", "--detach", worktree)
  await markFilled(worktree, await gitDir(worktree))
  expect(findFilledMs(await gitDir(worktree))).toBeUndefined()
})
