/** Any program in a worktree can replace a file of git's with a pipe; no reader waits for it. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { afterAll, expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { branchRef, type TaskId } from "../../base/ids.ts"
import { isSet } from "../git/ask/config.ts"
import { readAlias, readHead } from "../git/ask/head.ts"
import { isCheckedOutNowhere } from "../git/ask/heads.ts"
import { listLinked } from "../git/ask/linked-worktrees.ts"
import { listLogged } from "../git/ask/logged-commits.ts"
import { readOperation } from "../git/ask/operation-in-progress.ts"
import { listWorktrees } from "../git/ask/worktree-list.ts"
import { assertOwnGitDir, isRootOf } from "../git/ask/worktree-of.ts"
import { onIndexCopy } from "../git/change/index-copy.ts"
import { findIndexLock } from "../git/change/own-index.ts"
import { revealPresent } from "../git/change/reveal-files.ts"
import { commonDirOf, findGitDir } from "../git/start/git-dir.ts"
import { UnreadableFileError } from "../process/errors.ts"
import { endFilling } from "./git-worktree/fill-worktree.ts"
import { hasBegunSetUp } from "./setup/setup-record.ts"
import { rescuePrefix } from "./task-refs.ts"

const repo = new TestRepo()
const tree = repo.worktree("b")
const common = join(repo.path, ".git")
const own = join(common, "worktrees/b")
const main = branchRef("main")
const owner = { home: "/home", task: 1 as TaskId }
const nothing = async () => {}
const bisected = () => {
  repo.write({ BISECT_LOG: "" }, own)
  return readOperation(own)
}

afterAll(() => repo[Symbol.dispose]())

/** The file, its reader, and the answer; undefined: it is refused. */
type Reader = readonly [file: string, read: () => unknown, answer?: unknown]
const READERS: readonly Reader[] = [
  [join(own, "HEAD"), () => readHead(tree)],
  [join(own, "HEAD"), () => readHead(tree)],
  [join(own, "HEAD"), () => isCheckedOutNowhere(repo.path, branchRef("c"))],
  [join(own, "commondir"), () => commonDirOf(own)],
  [join(own, "gitdir"), () => listLinked(common)],
  [join(own, "gitdir"), () => isRootOf(tree, own)],
  [join(own, "locked"), () => listLinked(common)],
  [join(own, "HEAD"), () => listWorktrees(repo.path)],
  [join(own, "commondir"), () => listWorktrees(repo.path)],
  [join(common, "HEAD"), () => listWorktrees(tree)],
  [join(common, "config"), () => listWorktrees(tree)],
  [join(common, "packed-refs"), () => listWorktrees(tree)],
  [join(own, "config.worktree"), () => assertOwnGitDir(tree)],
  [join(own, "logs/HEAD"), () => listLogged(own, undefined)],
  [join(own, "rebase-merge/head-name"), () => readOperation(own)],
  [join(own, "BISECT_LOG"), () => readOperation(own), { kind: "bisect", branch: undefined }],
  [join(own, "MERGE_HEAD"), () => readOperation(own), { kind: "merge", branch: undefined }],
  [join(own, "index"), () => revealPresent(tree)],
  [join(own, "index"), () => onIndexCopy(tree, nothing)],
  [join(own, "index.lock"), () => findIndexLock(tree), join(own, "index.lock")],
  [join(own, "coppice-checkout.json"), () => endFilling(own), "nothing runs"],
  [join(own, "coppice-setup.json"), () => hasBegunSetUp(tree), false],
  [join(tree, ".git"), () => findGitDir(tree) ?? "none", "none"],
  [join(common, "refs/heads/old"), () => readAlias(repo.path, branchRef("old"))],
  [join(common, "logs", main), () => listLogged(own, main)],
  [join(common, "config"), () => isSet(repo.path, "core.ignoreCase")],
  [join(own, "config.worktree"), () => isSet(tree, "core.ignoreCase")],
  [join(common, "coppice.home"), () => rescuePrefix(repo.path, owner)],
  [join(own, "BISECT_START"), () => bisected()],
]

const cases = READERS.map(([file, read, answer]) => ({
  name: relative(repo.folder, file),
  file,
  read,
  answer,
}))

test.each(cases)(
  "reading $name does not wait for a pipe [12.9]",
  async ({ file, read, answer }) => {
    const aside = `${file}.aside`
    mkdirSync(dirname(file), { recursive: true })
    if (existsSync(file)) renameSync(file, aside)
    execFileSync("mkfifo", [file])
    try {
      const asked = Promise.resolve().then(read)
      if (answer === undefined) await expect(asked).rejects.toThrow(UnreadableFileError)
      else expect((await asked) ?? answer).toEqual(answer)
    } finally {
      rmSync(file, { force: true })
      if (file.includes("rebase-merge")) rmSync(dirname(file), { recursive: true })
      if (existsSync(aside)) renameSync(aside, file)
    }
  },
)

test("a .git, HEAD or commondir that leads nowhere is reported as such, or left to git", async () => {
  const nowhere = [`gitdir: ${"a".repeat(5000)}`, "gitdir: /a\0b\n"]
  const around = async (file: string, put: (file: string) => void, look: () => unknown) => {
    renameSync(file, `${file}.aside`)
    put(file)
    try {
      return await look()
    } finally {
      renameSync(`${file}.aside`, file)
    }
  }
  const link = join(tree, ".git")
  const findIt = () => expect(findGitDir(tree)).toBeUndefined()
  const readsIt = () => expect(() => commonDirOf(own)).toThrow(UnreadableFileError)
  for (const text of nowhere) {
    await around(link, (file) => writeFileSync(file, text), findIt)
    await around(join(own, "commondir"), (file) => writeFileSync(file, text), readsIt)
  }
  await around(link, (file) => symlinkSync(file, file), findIt)
  const head = (name: string) => (file: string) => writeFileSync(file, `ref: refs/heads/${name}\n`)
  const asGit = () => expect(readHead(tree)).resolves.toMatchObject({ ref: "refs/heads/a" })
  await around(join(own, "HEAD"), head("a\0b"), asGit)
  const asFailed = () => expect(readHead(tree)).rejects.toMatchObject({ code: "git.failed" })
  await around(join(own, "HEAD"), head("a".repeat(5000)), asFailed)
})
