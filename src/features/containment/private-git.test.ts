import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { expect, test, vi } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { RunEnd } from "../../kernel/process/run.ts"
import { exchangeCommits, fenceOfGit, makePrivateGit, type PrivateGit } from "./private-git.ts"

const BRANCH = "refs/heads/agent/1"

/** A worktree of a task, and its agent, which works there with a git of its own. */
class Contained implements Disposable {
  readonly repo = new TestRepo()
  readonly own: PrivateGit
  readonly git: string

  constructor() {
    const worktree = join(this.repo.folder, "worktree")
    this.repo.git("worktree", "add", "-q", "-b", "agent/1", worktree)
    this.own = { worktree, folder: join(this.repo.folder, "own") }
    this.git = join(this.own.folder, "private")
  }

  /** Runs a script as the agent does. */
  agent(script: string, ...args: string[]): RunEnd {
    const { worktree: cwd } = this.own
    const env = { ...this.repo.env, GIT_DIR: this.git, GIT_WORK_TREE: cwd }
    const end = spawnSync("/bin/sh", ["-c", script, "sh", ...args], { cwd, env, encoding: "utf8" })
    const output = end.stdout + end.stderr
    return { kind: "exited", code: end.status ?? 1, output, durationMs: 0 }
  }

  exchange(isEnd = true): Promise<void> {
    const run = async (script: string, args: readonly string[]) => this.agent(script, ...args)
    return exchangeCommits(this.own, { isEnd, run })
  }

  commit(): string {
    return this.repo.git("rev-parse", BRANCH)
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]()
  }
}

const WORK = "echo mine > a.txt && git add . && git commit -qm work"

test("the commits of an agent come to its branch, with an index that knows them", async () => {
  using it = new Contained()
  it.repo.commit({ ".gitignore": "*.log\n" }, "ignore")
  it.repo.git("-C", it.own.worktree, "reset", "-q", "--hard", "main")
  await makePrivateGit(it.own)
  it.agent(`echo kept > kept.log; git add -f kept.log; ${WORK}`)
  await it.exchange()
  expect(it.repo.git("log", "-1", "--format=%s", BRANCH)).toBe("work")
  expect(it.repo.git("-C", it.own.worktree, "status", "--porcelain")).toBe("")
  expect(it.repo.git("-C", it.own.worktree, "ls-files")).toContain("kept.log")
})

test("a renamed branch and a detached HEAD come back to the branch of the task", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  it.agent(`git branch -m main-2; ${WORK}`)
  await it.exchange()
  expect(it.repo.git("log", "-1", "--format=%s", BRANCH)).toBe("work")
  it.agent(`git checkout -q --detach; echo more > b.txt; git add .; git commit -qm more`)
  await it.exchange()
  expect(it.repo.git("log", "-1", "--format=%s", BRANCH)).toBe("more")
  expect(it.repo.git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe(
    `${BRANCH}\nrefs/heads/main`,
  )
})

test("an object with other contents than its name says does not come back", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  it.agent(WORK)
  const before = it.commit()
  const blob = it.agent("git rev-parse HEAD:a.txt").output.trim()
  const file = join(it.git, "objects", blob.slice(0, 2), blob.slice(2))
  rmSync(file)
  writeFileSync(file, deflateSync("blob 5\0evil\n"))
  await expect(it.exchange()).rejects.toThrow("cannot be taken over")
  expect(it.commit()).toBe(before)
  expect(() => it.repo.git("cat-file", "-e", blob)).toThrow()
})

test("links that the agent makes in its git directory are not followed", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  const before = it.commit()
  it.repo.commit({ "b.txt": "b\n" }, "theirs")
  const outside = join(it.repo.folder, "outside")
  writeFileSync(outside, `${it.repo.git("rev-parse", "main")}\n`)
  rmSync(join(it.git, "HEAD"))
  symlinkSync(outside, join(it.git, "HEAD"))
  await expect(it.exchange()).rejects.toThrow("cannot be brought")
  expect(it.commit(), "HEAD is a link").toBe(before)
  rmSync(join(it.git, "HEAD"))
  writeFileSync(join(it.git, "HEAD"), "ref: refs/heads/link\n")
  symlinkSync(outside, join(it.git, "refs/heads/link"))
  await it.exchange()
  expect(it.commit(), "its branch is a link").toBe(before)
  expect(readFileSync(outside, "utf8")).toContain(it.repo.git("rev-parse", "main"))
})

test("objects behind a link do not come back [43.7]", async () => {
  using it = new Contained()
  using other = new TestRepo()
  await makePrivateGit(it.own)
  const before = it.commit()
  const secret = other.commit({ "secret.txt": "secret\n" }, "secret")
  it.agent(
    'cd "$GIT_DIR/objects" && cp -r "$1"/?? . && rm -rf pack && ln -s "$1/pack" pack',
    join(other.path, ".git/objects"),
  )
  it.agent('git update-ref --no-deref HEAD "$1"', secret)
  await expect(it.exchange()).rejects.toThrow("no plain file or folder")
  it.agent('rm -r "$GIT_DIR/objects"')
  await expect(it.exchange()).rejects.toThrow("cannot be read")
  expect(it.commit()).toBe(before)
  expect(() => it.repo.git("cat-file", "-e", secret)).toThrow()
})

test("an agent reads borrowed objects, and no other folder that its repository calls objects [14.12]", async () => {
  using it = new Contained()
  const borrow = (folder: string) => {
    const file = join(it.repo.path, ".git/objects/info/alternates")
    writeFileSync(file, `# borrowed\n${folder}\n`)
    return fenceOfGit(it.own)
  }
  it.repo.git("clone", "--quiet", "--bare", ".", "../other.git")
  const other = join(it.repo.folder, "other.git")
  expect((await borrow(`${other}/objects`)).readable).toContain(`${other}/objects`)
  await borrow(join(it.repo.folder, "not-there"))
  for (const folder of [other, join(other, "refs"), join(other, "config"), `${other}/objects/pack`])
    await expect(borrow(folder), folder).rejects.toThrow(`it names ${folder}`)
  vi.stubEnv("COPPICE_STATE", it.repo.folder)
  await expect(borrow(`${other}/objects`), "of another task").rejects.toThrow("it names")
  vi.unstubAllEnvs()
  const objects = join(it.repo.path, ".git/objects")
  const linkTo = (folder: string) => {
    rmSync(objects, { recursive: true })
    symlinkSync(folder, objects)
    return fenceOfGit(it.own)
  }
  writeFileSync(`${other}/objects/maintenance.lock`, "")
  expect((await linkTo(`${other}/objects`)).readable).toContain(objects)
  await expect(linkTo(other)).rejects.toThrow("it is a link")
})

test("a branch that others moved stays, and so do the agent's commits", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  it.agent(WORK)
  const theirs = it.repo.commit({ "b.txt": "b\n" }, "theirs")
  it.repo.git("-C", it.own.worktree, "reset", "-q", "--hard", "main")
  await expect(it.exchange()).rejects.toThrow("was moved by others")
  expect(it.commit()).toBe(theirs)
  expect(it.agent("git log -1 --format=%s").output.trim()).toBe("work")
})

test("a worktree that its agent opened to other users is closed at the end of the turn [43.34]", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  it.agent(`chmod 755 . && ${WORK}`)
  await it.exchange()
  expect((statSync(it.own.worktree).mode & 0o777).toString(8)).toBe("700")
})

test("the next turn of an agent has the branches of the repository as they are then", async () => {
  using it = new Contained()
  await makePrivateGit(it.own)
  it.agent(WORK)
  await it.exchange()
  const theirs = it.repo.commit({ "b.txt": "b\n" }, "theirs")
  it.repo.git("-C", it.own.worktree, "rebase", "-q", "main")
  await it.exchange(false)
  expect(it.agent("git rev-parse HEAD main").output).toBe(`${it.commit()}\n${theirs}\n`)
  expect(it.agent("git status --porcelain").output).toBe("")
})

test("a set-up that was cut short is made again", async () => {
  using it = new Contained()
  mkdirSync(join(it.own.folder, "private/refs/heads"), { recursive: true })
  writeFileSync(join(it.own.folder, "private/HEAD"), "half")
  await makePrivateGit(it.own)
  expect(it.agent(WORK)).toMatchObject({ code: 0 })
})
