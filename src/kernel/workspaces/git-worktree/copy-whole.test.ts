import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"
import { Copier } from "./copy-whole.ts"

const NEVER = new AbortController().signal
const isCopied = async () => true

function repoWithModules(): { repo: TestRepo; worktree: string; source: string } {
  const repo = new TestRepo()
  repo.write({ "deps/a.js": "a", "deps/b/c.js": "c" })
  return { repo, worktree: repo.worktree("task"), source: join(repo.path, "deps") }
}

test("a folder with more than may be copied is left out whole, and the next one still fits [28.3]", async () => {
  const { repo, worktree, source } = repoWithModules()
  using _ = repo
  const copier = new Copier(worktree, NEVER, 4)
  const copy = (from: string, to: string) =>
    copier.copy({ source: from, destination: join(worktree, to), isCopied })
  expect(await copy(source, "one")).toEqual({ kind: "copied" }) // deps, a.js, b, c.js
  expect(await copy(source, "two")).toEqual({ kind: "too_many", max: 4 })
  expect(readdirSync(worktree).sort()).toEqual([".git", "README.md", "one"])
  expect(copier.count).toBe(4)
})

test("a copy that is ended, and one that was killed, leave nothing at the destination [28.3]", async () => {
  const { repo, worktree, source } = repoWithModules()
  using _ = repo
  const stop = new AbortController()
  const ending = new Copier(worktree, stop.signal)
  const halfway = async (path: string) => {
    if (path.endsWith("c.js")) stop.abort(new Error("ended"))
    return true
  }
  const destination = join(worktree, "deps")
  const ended = ending.copy({ source, destination, isCopied: halfway })
  await expect(ended).rejects.toThrow("ended")
  expect(existsSync(destination)).toBe(false)

  const own = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  mkdirSync(join(own, "coppice-staged")) // as a kill leaves it
  writeFileSync(join(own, "coppice-staged/left.js"), "half")
  await new Copier(worktree, NEVER).copy({ source, destination, isCopied })
  expect(readdirSync(destination).sort()).toEqual(["a.js", "b"])
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("?? deps/")
  expect(existsSync(join(own, "coppice-staged"))).toBe(false)
})

test("a disk that fills up while a folder is copied leaves none of it; with room, it is copied [28.3]", async ({
  skip,
}) => {
  using repo = new TestRepo()
  const disk = join(repo.folder, "disk")
  mkdirSync(disk)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], { stdio: "ignore" })
  } catch {
    return skip("only root on Linux may mount a small disk")
  }
  try {
    repo.commit({ ".gitignore": "big\n.env\n" })
    repo.write({ ".env": "SECRET=1", "big/0": "first", "big/1": Buffer.alloc(3 << 20, 1) })
    writeFileSync(join(disk, "filler"), Buffer.alloc(2 << 20))
    const strategy = strategyOf("/home/of/this/test")
    const request = workspaceRequest(repo, { worktreeDir: disk, copy: [".env", "big"] })
    await expect(strategy.setup(request)).rejects.toMatchObject({
      code: "workspace.copy_failed",
      blame: "world",
      transient: true,
      message: expect.stringMatching(/repo\/big could not be copied: .*no space left/),
    })
    const worktree = join(disk, "7-fix-the-typo")
    expect(readdirSync(worktree).sort()).toEqual([".env", ".git", ".gitignore", "README.md"])

    rmSync(join(disk, "filler"))
    const { placed } = await strategy.setup(request)
    expect(placed).toEqual([".env", "big"])
    expect(readFileSync(join(worktree, "big/1")).length).toBe(3 << 20)
    expect(readdirSync(disk)).toEqual(["7-fix-the-typo"])
    await strategy.settled()
  } finally {
    execFileSync("umount", ["--lazy", disk])
  }
})
