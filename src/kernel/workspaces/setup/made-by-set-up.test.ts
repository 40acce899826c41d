import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { TaskId } from "../../../base/ids.ts"
import { readStatus } from "../../git/ask/status.ts"
import { rescueWorktree } from "../rescue/rescue.ts"
import { notePlaced, whileLeaving } from "./made-by-set-up.ts"

const owner = { home: "one", task: 7 as TaskId }
const FILES = {
  "README.md": "hello\n",
  "lock.json": "{}\n",
  "mine.txt": "m\n",
  ".gitignore": "*.log\n",
}

class SetUp implements Disposable {
  readonly repo = new TestRepo()
  readonly worktree: string

  constructor() {
    this.repo.commit(FILES)
    this.worktree = this.repo.worktree("feat")
  }
  /** Runs a set-up, which is a shell script. */
  run(script: string) {
    const { worktree } = this
    const run = async () => {
      execFileSync("sh", ["-ec", script], { cwd: worktree, env: this.repo.env, stdio: "pipe" })
    }
    return whileLeaving({ worktree, owner, placed: [".env"] }, run)
  }
  write(files: Readonly<Record<string, string>>): void {
    this.repo.write(files, this.worktree)
  }
  read(path: string): string {
    return readFileSync(join(this.worktree, path), "utf8")
  }
  /** The files that a snapshot would take, and a rescue would save. */
  async work(): Promise<readonly string[]> {
    const { staged, unstaged, untracked } = await readStatus(this.worktree)
    return [...new Set([...staged, ...unstaged, ...untracked])].sort()
  }
  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]()
  }
}

const INSTALL =
  "mkdir -p env/bin; echo py > env/bin/py; echo gen > gen.txt; echo x > a.log; echo '{1}' > lock.json"

test("files made by set-up are not work, even if staged; its changes to tracked files are reverted [18.1, 18.3]", async () => {
  using it = new SetUp()
  it.write({ ".env": "S\n" })
  const { leaves } = await it.run(
    `${INSTALL}; rm mine.txt; echo s >> README.md; git add README.md gen.txt`,
  )
  expect(leaves.made.toSorted()).toEqual(["env/bin/py", "gen.txt"])
  expect(leaves.putBack.toSorted()).toEqual(["README.md", "lock.json", "mine.txt"])
  expect([it.read("README.md"), it.read("lock.json"), it.read("mine.txt")]).toEqual([
    "hello\n",
    "{}\n",
    "m\n",
  ])
  expect(await it.work()).toEqual([".env"])
  it.repo.gitIn(it.worktree, "add", "--all", "env", "gen.txt")
  expect((await readStatus(it.worktree)).stagedMade).toEqual(["env/bin/py", "gen.txt"])
  expect(await it.work()).toEqual([".env"])
})

test("a tracked file that a person edits while set-up runs is saved before it is put back [18.3]", async () => {
  using it = new SetUp()
  const { leaves } = await it.run(
    "echo set-up > lock.json; echo 'a person' >> README.md; rm mine.txt",
  )
  const [rescue] = leaves.rescued
  expect(rescue?.paths.toSorted()).toEqual(["README.md", "lock.json", "mine.txt"])
  expect(it.repo.git("cat-file", "blob", `${rescue?.ref}:README.md`)).toBe("hello\na person")
  expect(it.repo.git("ls-tree", "--name-only", `${rescue?.ref}`)).not.toContain("mine.txt")
  expect([it.read("README.md"), it.read("mine.txt")]).toEqual(["hello\n", "m\n"])
  const again = await it.run("echo set-up > lock.json; echo 'a person' >> README.md; rm mine.txt")
  expect(again.leaves.rescued.map(({ ref }) => ref)).toEqual([rescue?.ref])
})

test("a made file that was edited is work, also at the same size and in the same second [18.2]", async () => {
  using it = new SetUp()
  await it.run(`${INSTALL}`)
  it.write({ "gen.txt": "GEN\n", "env/own.txt": "o\n" })
  expect(await it.work()).toEqual(["env/own.txt", "gen.txt"])
  const request = { owner, safeCommits: [it.repo.tip("main")], placed: [".env"], reason: "a test" }
  expect((await rescueWorktree(it.worktree, request))?.paths).toEqual(["env/own.txt", "gen.txt"])
})

test("a made file that a tool makes again with the same content is not taken for work [18.1]", async () => {
  using it = new SetUp()
  await it.run(INSTALL)
  rmSync(join(it.worktree, "gen.txt"))
  it.write({ "gen.txt": "gen\n", "env/bin/py": "other\n" })
  utimesSync(join(it.worktree, "gen.txt"), 1_000_000_000, 1_000_000_000)
  expect(await it.work()).toEqual(["env/bin/py"])
})

test("a repeated set-up claims no edit and no new file of the agent's [18.1]", async () => {
  using it = new SetUp()
  await it.run(INSTALL)
  it.write({ "lock.json": "agent\n", "own.txt": "o\n", "gen.txt": "edited\n" })
  it.repo.gitIn(it.worktree, "add", "own.txt")
  const { leaves } = await it.run(
    "echo more >> lock.json; echo more >> own.txt; echo new > new.txt; echo s >> mine.txt; echo py2 > env/bin/py",
  )
  expect(leaves.made).toEqual(["env/bin/py", "new.txt"])
  expect(leaves.putBack).toEqual(["mine.txt"])
  expect(await it.work()).toEqual(["gen.txt", "lock.json", "own.txt"])
  expect(it.read("lock.json")).toBe("agent\nmore\n")
})

test("a set-up that fails or hides its edits leaves no work either", async () => {
  using it = new SetUp()
  await expect(
    it.run(`${INSTALL}; git update-index --skip-worktree lock.json; exit 3`),
  ).rejects.toThrow()
  expect(await it.work()).toEqual([])
  expect(it.read("lock.json")).toBe("{}\n")
})

test("a set-up that was killed counts as one with its repetition; what is written in between is saved [18.4]", async () => {
  using it = new SetUp()
  it.write({ "own.txt": "o\n" })
  let kill = () => {}
  const killed = whileLeaving(
    { worktree: it.worktree, owner, placed: [] },
    () => new Promise<void>((resolve) => (kill = resolve)),
  )
  await expect
    .poll(() =>
      existsSync(
        join(
          it.repo.gitIn(it.worktree, "rev-parse", "--absolute-git-dir"),
          "coppice-before-setup.json",
        ),
      ),
    )
    .toBe(true)
  it.write({ "gen.txt": "half\n", "mine.txt": "a person's\n", "new.txt": "a person's, too\n" })
  const { leaves } = await it.run("echo gen > gen.txt")
  expect(leaves.made).toEqual(["gen.txt", "new.txt"])
  expect(leaves.putBack).toEqual(["mine.txt"])
  const [rescue] = leaves.rescued
  expect(rescue?.paths.toSorted()).toEqual(["gen.txt", "mine.txt", "new.txt"])
  expect(it.repo.git("cat-file", "blob", `${rescue?.ref}:new.txt`)).toBe("a person's, too")
  expect(it.repo.git("cat-file", "blob", `${rescue?.ref}:mine.txt`)).toBe("a person's")
  expect(await it.work()).toEqual(["own.txt"])
  kill()
  await killed
})

test("no object is written for files made by set-up [18.1]", async () => {
  using it = new SetUp()
  const objects = () => it.repo.git("count-objects", "-v")
  const before = objects()
  await it.run("mkdir many; for n in $(seq 2000); do echo $n > many/$n; done")
  expect(objects()).toBe(before)
  expect(await it.work()).toEqual([])
})

test("placed files are noted once, with their content at that time", async () => {
  using it = new SetUp()
  it.write({ ".env": "S\n", "conf/a": "a\n" })
  await notePlaced(it.worktree, [".env", "conf"])
  expect(await it.work()).toEqual([])
  it.write({ ".env": "changed\n" })
  await notePlaced(it.worktree, [".env", "conf"])
  expect(await it.work()).toEqual([".env"])
})

test("a record that was replaced by something else is refused, and not followed", async () => {
  using it = new SetUp()
  await it.run(INSTALL)
  const file = join(it.repo.gitIn(it.worktree, "rev-parse", "--absolute-git-dir"), "coppice-made")
  rmSync(file)
  mkdirSync(file)
  await expect(it.work()).rejects.toMatchObject({ blame: "world" })
  rmSync(file, { recursive: true })
  writeFileSync(file, "no index")
  await expect(it.work()).rejects.toThrow()
})

test.each(["node_modules", ".venv", "python"])(
  "nothing that a tool adds to %s after set-up is work, also if no .gitignore names the folder [18.10]",
  async (folder) => {
    using it = new SetUp()
    const isPython = folder === "python" ? "; touch python/pyvenv.cfg" : ""
    const { leaves } = await it.run(`mkdir ${folder}; echo a > ${folder}/a.js${isPython}`)
    expect(leaves.made).toEqual([])
    it.write({ [`${folder}/.cache/b`]: "b", "work.txt": "w", [`${folder}/a.js`]: "changed" })
    expect(await it.work()).toEqual(["work.txt"])
    it.repo.gitIn(it.worktree, "add", "-A")
    expect(await it.work()).toEqual(["work.txt"])
  },
)

test("a folder with work in it, or with tracked files, is not hidden from git [18.10]", async () => {
  using it = new SetUp()
  it.write({ "node_modules/mine.js": "m" })
  await it.run("echo a > node_modules/a.js; mkdir gen; echo g > gen/g.js")
  it.write({ "node_modules/later.js": "l", "gen/later.js": "l" })
  const work = ["gen/later.js", "node_modules/later.js", "node_modules/mine.js"]
  expect(await it.work()).toEqual(work)
  it.repo.gitIn(it.worktree, "add", "node_modules/mine.js")
  it.repo.gitIn(it.worktree, "commit", "-qm", "mine")
  await it.run("echo b > node_modules/b.js")
  expect(await it.work()).toEqual(["gen/later.js", "node_modules/later.js"])
  expect(existsSync(join(it.worktree, "node_modules/.gitignore"))).toBe(false)
})
