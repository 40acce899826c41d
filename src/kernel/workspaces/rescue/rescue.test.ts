import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { GitPath, Oid, TaskId } from "../../../base/ids.ts"
import { type RescueRequest, rescueCommit, rescueWorktree } from "./rescue.ts"

const owner = { home: "one", task: 7 as TaskId }
const REF = "refs/coppice/rescue/7/1"

function rescue(worktree: string, safeCommits: readonly Oid[], more: Partial<RescueRequest> = {}) {
  return rescueWorktree(worktree, { owner, safeCommits, placed: [], reason: "a test", ...more })
}

/** Everything that a rescue must not change in the worktree. */
function fingerprint(repo: TestRepo, worktree: string) {
  const index = readFileSync(join(repo.gitIn(worktree, "rev-parse", "--absolute-git-dir"), "index"))
  const status = repo.gitIn(
    worktree,
    "--no-optional-locks",
    "status",
    "--porcelain=v2",
    "--ignored",
  )
  return { status, index: createHash("sha256").update(index).digest("hex") }
}

const show = (repo: TestRepo, name: string) => repo.git("cat-file", "-p", name)

test("a clean worktree whose commits are contained needs no rescue", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.commit({ "later.txt": "" })
  expect(await rescue(worktree, [repo.tip("main")])).toBeUndefined()
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
})

test("commits that are nowhere else are kept as they are, also those of a detached HEAD", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.gitIn(worktree, "checkout", "--quiet", "--detach")
  const commit = repo.commit({ "work.txt": "work" }, "work", worktree)
  expect(await rescue(worktree, [repo.tip("main")])).toEqual({
    ref: REF,
    commit,
    paths: [],
    nested: [],
  })
  expect(repo.tip(REF)).toBe(commit)
})

test("W05: staged, unstaged, deleted and untracked work is in the rescue; the worktree is as it was [4.1]", async () => {
  using repo = new TestRepo()
  repo.commit({ "a.txt": "a", "b.txt": "b", "c.txt": "c", ".gitignore": "*.log\n" })
  const worktree = repo.worktree("feat")
  repo.write({ "a.txt": "a staged", "new.txt": "new" }, worktree)
  repo.gitIn(worktree, "add", "--all")
  repo.write(
    { "a.txt": "a unstaged", "b.txt": null, "dir/untracked.txt": "u", "x.log": "ignored" },
    worktree,
  )
  symlinkSync("a.txt", join(worktree, "link"))
  chmodSync(join(worktree, "c.txt"), 0o755)
  const before = fingerprint(repo, worktree)

  const saved = await rescue(worktree, [repo.tip("main")])

  expect(saved).toMatchObject({ ref: REF, nested: [] })
  const changed = ["a.txt", "b.txt", "c.txt", "dir/untracked.txt", "link", "new.txt"]
  expect(saved?.paths.toSorted()).toEqual(changed)
  expect(show(repo, `${REF}:a.txt`)).toBe("a unstaged")
  expect(show(repo, `${REF}:new.txt`)).toBe("new")
  expect(show(repo, `${REF}:dir/untracked.txt`)).toBe("u")
  expect(repo.git("ls-tree", "-r", "--name-only", REF).split("\n")).not.toContain("b.txt")
  expect(repo.git("ls-tree", "-r", "--name-only", REF)).not.toContain("x.log")
  expect(repo.git("ls-tree", REF, "c.txt", "link").match(/^\d+/gm)).toEqual(["100755", "120000"])
  expect(show(repo, `${REF}^2:a.txt`)).toBe("a staged")
  expect(repo.tip(`${REF}^1`)).toBe(repo.tip("feat"))
  expect(fingerprint(repo, worktree)).toEqual(before)
})

test("a second rescue of the same state finds the first; more work makes the next one", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.write({ "a.txt": "a" }, worktree)
  const first = await rescue(worktree, [repo.tip("main")])
  expect(await rescue(worktree, [repo.tip("main")])).toEqual(first)
  repo.write({ "a.txt": "b" }, worktree)
  expect(await rescue(worktree, [repo.tip("main")])).toMatchObject({
    ref: "refs/coppice/rescue/7/2",
  })
})

test("a commit is kept as it is, even if an earlier rescue holds the very same files", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  writeFileSync(join(worktree, "work.txt"), "work")
  const saved = await rescue(worktree, [repo.tip("main")])
  const commit = repo.commit({ "work.txt": "work" }, "why it was done", worktree)
  const kept = await rescue(worktree, [repo.tip("main")])
  expect(repo.tip(`${saved?.ref}^{tree}`)).toBe(repo.tip(`${commit}^{tree}`))
  expect(kept).toMatchObject({ ref: "refs/coppice/rescue/7/2", commit })
  expect(await rescue(worktree, [repo.tip("main")])).toMatchObject({ ref: kept?.ref, commit })
})

test("files placed by copy and link are not work; everything next to them is", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.write({ ".env": "secret", "deps/a.js": "a", "deps.txt": "mine" }, worktree)
  const saved = await rescue(worktree, [repo.tip("main")], { placed: [".env", "deps"] })
  expect(saved?.paths).toEqual(["deps.txt"])
  rmSync(join(worktree, "deps.txt"))
  const nothing = await rescue(worktree, [repo.tip("main")], { placed: [".env", "deps"] })
  expect(nothing).toBeUndefined()
})

test("W03, W04: ignored files and folders are saved when they are named", async () => {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "*.env\nbuild\n" })
  const worktree = repo.worktree("feat")
  repo.write({ "a.env": "a", "other.env": "other", "build/x/a.o": "object" }, worktree)
  const ignored = ["a.env", "build"] as GitPath[]
  const saved = await rescue(worktree, [repo.tip("main")], { ignored })
  expect(saved?.paths.toSorted()).toEqual(["a.env", "build/x/a.o"])
  expect(show(repo, `${REF}:a.env`)).toBe("a")
  expect(show(repo, `${REF}:build/x/a.o`)).toBe("object")
})

test("works in the middle of a merge with conflicts", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.commit({ "README.md": "theirs\n" })
  repo.commit({ "README.md": "ours\n" }, "ours", worktree)
  expect(() => repo.gitIn(worktree, "merge", "main")).toThrow()
  const before = fingerprint(repo, worktree)

  const saved = await rescue(worktree, [repo.tip("main")])

  expect(saved?.paths).toEqual(["README.md"])
  expect(show(repo, `${REF}:README.md`)).toContain("<<<<<<<")
  expect(repo.tip(`${REF}^1`)).toBe(repo.tip("feat"))
  expect(fingerprint(repo, worktree)).toEqual(before)
})

test("files of a nested repository are saved as files, and the repository is listed", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  for (const [name, commits] of Object.entries({ nested: true, unborn: false })) {
    repo.gitIn(worktree, "init", "--quiet", name)
    repo.write({ [`${name}/in.txt`]: name, [`${name}/.gitignore`]: "*.o\n" }, worktree)
    if (commits) repo.commit({ "more.txt": "more" }, "inside", join(worktree, name))
    repo.write({ [`${name}/a.o`]: "object" }, worktree)
  }
  const saved = await rescue(worktree, [repo.tip("main")])
  expect(saved?.nested).toEqual(["nested/", "unborn/"])
  expect(repo.git("ls-tree", "-r", "--name-only", REF).split("\n")).toEqual([
    "README.md",
    "nested/.gitignore",
    "nested/in.txt",
    "nested/more.txt",
    "unborn/.gitignore",
    "unborn/in.txt",
  ])
})

test("names that are not UTF-8, and a folder in the place of a file, survive", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  writeFileSync(Buffer.concat([Buffer.from(`${worktree}/caf`), Buffer.from([0xe9])]), "latin1")
  rmSync(join(worktree, "README.md"))
  repo.write({ "README.md/inside.txt": "inside", "ü\n.txt": "odd" }, worktree)
  const saved = await rescue(worktree, [repo.tip("main")])
  expect(saved?.paths).toContain("caf\\xe9")
  const names = repo.git("ls-tree", "-r", "-z", "--name-only", REF).split("\0").filter(Boolean)
  expect(names.toSorted()).toEqual(["README.md/inside.txt", "caf\ufffd", "ü\n.txt"].toSorted())
})

test("folders replaced by links, and links replaced by folders, are saved", async () => {
  using repo = new TestRepo()
  repo.write({ "dir/deep/a.txt": "a", "hidden/b.txt": "b", "other/c.txt": "c" })
  symlinkSync("other", join(repo.path, "link"))
  repo.commit({ ".gitignore": "/hidden\n" })
  const worktree = repo.worktree("feat")
  for (const name of ["dir", "hidden", "link"])
    rmSync(join(worktree, name), { recursive: true, force: true })
  for (const name of ["dir", "hidden"]) symlinkSync("other", join(worktree, name))
  repo.write({ "link/d.txt": "d", "other/c.txt": "edited" }, worktree)
  await rescue(worktree, [repo.tip("main")])
  const names = repo.git("ls-tree", "-r", "--name-only", REF).split("\n")
  expect(names).toEqual([".gitignore", "README.md", "dir", "link/d.txt", "other/c.txt"])
  expect([show(repo, `${REF}:dir`), show(repo, `${REF}:other/c.txt`)]).toEqual(["other", "edited"])
})

test("the user's hooks and filters do not run, and no identity is needed", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.git("config", "--unset", "user.name")
  repo.git("config", "--unset", "user.email")
  repo.git("config", "commit.gpgsign", "true")
  const mark = join(repo.folder, "hook-ran")
  for (const name of ["pre-commit", "reference-transaction", "post-index-change"])
    writeFileSync(join(repo.path, ".git/hooks", name), `#!/bin/sh\ntouch '${mark}'\n`, {
      mode: 0o755,
    })
  repo.write({ "a.txt": "a" }, worktree)
  expect(await rescue(worktree, [repo.tip("main")])).toMatchObject({ ref: REF })
  expect(existsSync(mark)).toBe(false)
})

test("work beyond the limit is an error that names the largest files, and saves nothing [4.5]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.write({ "small.txt": "s", "dump.bin": "" }, worktree)
  truncateSync(join(worktree, "dump.bin"), 2 ** 30) // sparse: takes no room
  await expect(rescue(worktree, [repo.tip("main")])).rejects.toMatchObject({
    code: "workspace.rescue_too_large",
    message: expect.stringMatching(
      /1025 MiB.*, more than a rescue takes \(dump\.bin, small\.txt\)\.$/,
    ),
  })
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
})

test("leaves no temporary files behind", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  mkdirSync(join(repo.folder, "tmp"))
  repo.write({ "a.txt": "a" }, worktree)
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = join(repo.folder, "tmp")
  try {
    await rescue(worktree, [])
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
  expect(globSync("*/*", { cwd: join(repo.folder, "tmp") })).toEqual([])
})

test("a branch's commit is kept unless it is contained", async () => {
  using repo = new TestRepo()
  const commit = repo.commit({ "a.txt": "a" })
  const request = { owner, reason: "a test" }
  expect(
    await rescueCommit(repo.path, commit, { ...request, safeCommits: [commit] }),
  ).toBeUndefined()
  const base = repo.tip("main~1")
  expect(await rescueCommit(repo.path, commit, { ...request, safeCommits: [base] })).toMatchObject({
    ref: REF,
    commit,
  })
})

test("edits hidden by index flags are work", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.gitIn(worktree, "update-index", "--assume-unchanged", "README.md")
  repo.write({ "README.md": "mine\n" }, worktree)
  expect(await rescue(worktree, [repo.tip("main")])).toMatchObject({ paths: ["README.md"] })
  expect(repo.git("show", `${REF}:README.md`)).toBe("mine")
})

test("the bytes of an edit in the very second of the index's last write are saved", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  const nowS = () => Math.floor(Date.now() / 1000)
  await waitFor("an edit within one second", async () => {
    const startedS = nowS()
    repo.write({ "README.md": "of another size\n" }, worktree)
    repo.gitIn(worktree, "reset", "--quiet", "--hard")
    repo.write({ "README.md": "HELLO\n" }, worktree)
    return nowS() === startedS && waitFor("the next second", () => nowS() > startedS)
  })
  await rescue(worktree, [repo.tip("main")])
  expect(repo.git("show", `${REF}:README.md`)).toBe("HELLO")
})

test("while git holds the lock of the rescue's ref, nothing counts as saved", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.write({ "work.txt": "work" }, worktree)
  repo.write({ [`.git/${REF}.lock`]: "" })
  await expect(rescue(worktree, [])).rejects.toMatchObject({ code: "workspace.ref_busy" })
})
