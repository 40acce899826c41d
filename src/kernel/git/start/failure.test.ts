import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef } from "../../../base/ids.ts"
import { readHead } from "../ask/head.ts"
import { prepareRef, updateRef } from "../change/update-ref.ts"
import { git } from "./exec.ts"

const mount = (...args: string[]) => execFileSync("mount", args, { stdio: "ignore" })

const BROKEN: readonly (readonly [string, (disk: string) => void])[] = [
  [
    "is full",
    (disk) => {
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize))
    },
  ],
  ["is read-only", (disk) => mount("-o", "remount,ro", disk)],
]

test.each(BROKEN)(
  "a disk that %s is named when git fails there, and that may pass [12.8]",
  async (words, spoil) => {
    using repo = new TestRepo()
    const disk = join(repo.folder, "disk")
    mkdirSync(disk)
    try {
      mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", disk)
    } catch {
      return // only root on Linux may mount a small disk
    }
    try {
      const path = join(disk, "repo")
      cpSync(repo.path, path, { recursive: true })
      const worktree = join(repo.folder, "linked")
      repo.gitIn(path, "worktree", "add", "--quiet", "--detach", worktree)
      spoil(disk)
      const move = { ref: branchRef("new"), from: null, to: repo.tip("main"), reason: "a test" }
      const named = { code: "git.failed", transient: true, message: expect.stringMatching(words) }
      await expect(updateRef(worktree, move)).rejects.toMatchObject(named)
      await expect(prepareRef(path, move)).rejects.toMatchObject(named)
      await expect(git(path, ["branch", "new"])).rejects.toMatchObject(named)
      expect(await readHead(worktree)).toMatchObject({ kind: "detached" })
    } finally {
      execFileSync("umount", ["--lazy", disk])
    }
  },
)
