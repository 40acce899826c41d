import { execFileSync } from "node:child_process"
import {
  chmodSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { RefName } from "../../../base/ids.ts"
import { commitLeftovers } from "../../landing/snapshot/leftovers.ts"
import { readStatus } from "../ask/status.ts"
import { onIndexCopy } from "./index-copy.ts"

const FILES = ["a", "b", "c", "d/x", "e", "f", "same", "touched"]
const nowS = () => Math.floor(Date.now() / 1000)

/** A worktree that was filled and then edited, all within one second. */
async function filled(repo: TestRepo, edit: (path: (name: string) => string) => void) {
  repo.commit(Object.fromEntries(FILES.map((name) => [name, `old ${name}\n`])))
  let tries = 0
  return await waitFor("all within one second", async () => {
    const startedS = nowS()
    const worktree = repo.worktree(`w${tries++}`)
    edit((name) => join(worktree, name))
    return nowS() === startedS ? worktree : undefined
  })
}

/** As an editor that wants to leave no trace: as many bytes, the same file, the same time. */
function slip(file: string, text: string): void {
  const script = 'touch -r "$1" "$1~"; printf "%s\n" "$2" > "$1"; touch -r "$1~" "$1"; rm "$1~"'
  execFileSync("sh", ["-c", script, "sh", file, text])
}

test("an edit in the same second as the fill is found", async () => {
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
  const status = await readStatus(worktree)
  expect(status.unstaged).toEqual(["a", "b", "c", "d/x", "e", "f"])
  expect(status.untracked).toEqual(["d", "moved/x"])
})

test("a commit of leftovers takes them all, and hides nothing that comes right after it", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => slip(path("b"), "new b"))
  const ref = repo.gitIn(worktree, "symbolic-ref", "HEAD") as RefName
  const of = {
    commit: repo.tip("main"),
    ref,
    message: "left",
    repo: { path: repo.path, target: "main", placed: [] },
  }
  expect(await commitLeftovers(worktree, of)).toMatchObject({ kind: "committed" })
  expect(repo.gitIn(worktree, "show", "HEAD:b")).toBe("new b")
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
  const of = {
    commit: repo.tip("main"),
    ref,
    message: "left",
    repo: { path: repo.path, target: "main", placed: [] },
  }
  expect(await commitLeftovers(worktree, of)).toMatchObject({ kind: "committed" })
  expect(repo.gitIn(worktree, "diff-files", "--name-only")).toBe("")
})

test("a file staged while leftovers are gathered is not lost", async () => {
  using repo = new TestRepo()
  const worktree = await filled(repo, (path) => writeFileSync(path("a"), "new a\n"))
  await onIndexCopy(worktree, async (_, install) => {
    repo.write({ late: "late\n" }, worktree)
    repo.gitIn(worktree, "add", "late")
    expect(await install()).toEqual({ kind: "changed" })
  })
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("M a\nA  late")
})
