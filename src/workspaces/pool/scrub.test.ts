/** What a task leaves in a worktree of a pool, in every place that git and files have, and who sees it. */
import {
  chmodSync,
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PoolBench } from "../../../test/support/pool.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { removal } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../core/ids.ts"
import { scrub } from "./scrub.ts"

const SECRET = "TASK-A-WROTE-THIS"

const TRACKED = {
  ".gitignore": "node_modules/\nignored/\n*.log\n",
  "sub/.gitignore": "*.tmp\n",
  ".gitattributes": "*.txt text\n",
  ...Object.fromEntries(
    ["edited", "staged", "hidden", "skipped", "same", "program", "file", "conflict"].map((name) => [
      `${name}.txt`,
      `${name}\n`,
    ]),
  ),
  "raw.bin": "raw\n",
  "folder/inner.txt": "inner\n",
  "sub/tracked.txt": "tracked\n",
}

/** Everything that another task might see of this one. */
function plant(repo: TestRepo, worktree: string): void {
  const git = (...args: string[]) => repo.gitIn(worktree, ...args)
  const dir = git("rev-parse", "--absolute-git-dir")
  const { mtime } = lstatSync(join(worktree, "same.txt"))
  const conflicted = git("rev-parse", "HEAD")
  repo.commit({ "conflict.txt": `${SECRET} ours\n` }, SECRET, worktree)
  git("checkout", "--quiet", "-b", "side", conflicted)
  repo.commit({ "conflict.txt": `${SECRET} theirs\n` }, SECRET, worktree)
  expect(() => git("merge", "--quiet", "-")).toThrow() // MERGE_HEAD, stages, resolve-undo
  repo.write({ "conflict.txt": `${SECRET} resolved\n` }, worktree)
  git("add", "conflict.txt")
  repo.write(
    {
      "edited.txt": SECRET,
      "staged.txt": SECRET,
      "staged-new.txt": SECRET,
      "untracked.txt": SECRET,
      [`${SECRET}/deep/untracked.txt`]: SECRET,
      [`${SECRET}/node_modules/x/index.js`]: SECRET,
      "ignored/built.js": SECRET,
      "sub/some.log": SECRET,
      "sub/a.tmp": SECRET,
      "sub/node_modules/dep/index.js": "kept",
      "node_modules/dep/index.js": "kept",
      "folder/.gitignore": "*\n",
      "folder/.gitattributes": "* text eol=crlf\n",
      "folder/node_modules/hidden.js": "kept",
      ".gitattributes": `* text filter=${SECRET}\n`,
      "raw.bin": "raw\r\n", // by these rules the same as what is committed
      "same.txt": "Same\n",
      "program.txt": "program\n",
    },
    worktree,
  )
  utimesSync(join(worktree, "same.txt"), mtime, mtime)
  chmodSync(join(worktree, "program.txt"), 0o755)
  git("add", "staged.txt", "staged-new.txt")
  git("add", "--intent-to-add", "untracked.txt")
  for (const [bit, path] of [
    ["--assume-unchanged", "hidden.txt"],
    ["--skip-worktree", "skipped.txt"],
  ] as const) {
    git("update-index", bit, path)
    repo.write({ [path]: SECRET }, worktree)
  }
  rmSync(join(worktree, "file.txt"))
  repo.write({ "file.txt/now-a-folder.txt": SECRET }, worktree)
  git("init", "--quiet", "ignored/nested")
  for (const name of [
    "ORIG_HEAD",
    "FETCH_HEAD",
    "CHERRY_PICK_HEAD",
    "COMMIT_EDITMSG",
    "BISECT_LOG",
  ])
    repo.write({ [name]: `${conflicted} ${SECRET}\n` }, dir)
  repo.write({ "info/sparse-checkout": `/${SECRET}\n`, "hooks/post-checkout": SECRET }, dir)
  repo.write({ "rebase-merge/author-script": SECRET, "sequencer/todo": SECRET }, dir)
  git("update-ref", `refs/worktree/${SECRET}`, "HEAD")
  git("update-ref", "refs/bisect/bad", "HEAD")
  repo.git("config", "extensions.worktreeConfig", "true")
  git("config", "--worktree", "core.hooksPath", `/${SECRET}`)
  git("config", "--worktree", "core.splitIndex", "true")
  git("update-index", "--split-index")
}

/** Every file of a folder with its mode and content; links as what they say. */
function snapshot(root: string): Record<string, string> {
  const paths = globSync("**/*", { cwd: root, exclude: (path) => path === ".git" }).sort()
  const all = [...new Set([...paths, ...globSync("**/.*", { cwd: root })])]
  return Object.fromEntries(
    all
      .filter((path) => path !== ".git")
      .map((path) => {
        const stat = lstatSync(join(root, path))
        const mode = stat.isDirectory() ? "folder" : `${stat.mode & 0o111 ? "program" : "file"} `
        if (stat.isSymbolicLink()) return [path, `link ${readlinkSync(join(root, path))}`]
        return [path, stat.isDirectory() ? mode : mode + readFileSync(join(root, path), "latin1")]
      }),
  )
}

test("nothing that a task leaves is visible to the next one, but in folders that are kept", async () => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0 })
  const { repo } = bench
  repo.commit({ ...TRACKED, "package-lock.json": "{}" })
  const first = await bench.setUp(7)
  plant(repo, first.worktree)

  const torn = await bench.strategy.teardown({
    ...removal(repo, first, [repo.tip("main")]),
    task: 7 as TaskId,
  })
  expect(torn).toMatchObject({ worktree: "removed", notices: [] })
  await bench.tended()
  const { worktree } = await bench.setUp(8)

  expect(worktree).toBe(first.worktree)
  const fresh = repo.worktree("fresh", "main")
  const isKept = ([path]: [string, string]) => /(^|\/)node_modules(\/|$)/.test(path)
  const seen = Object.entries(snapshot(worktree))
  expect(seen.filter(isKept).filter(([, content]) => content === "file kept")).toHaveLength(3)
  expect(Object.fromEntries(seen.filter((one) => !isKept(one)))).toEqual(snapshot(fresh))
  const ask = (where: string, ...args: string[]) => repo.gitIn(where, ...args)
  for (const args of [
    ["status", "--porcelain=v2"],
    ["ls-files", "--stage", "-v", "--resolve-undo"],
    ["ls-files", "-v"],
    ["for-each-ref", "--format=%(refname)", "refs/worktree", "refs/bisect", "refs/rewritten"],
    ["rev-parse", "HEAD"],
  ])
    expect(ask(worktree, ...args), args.join(" ")).toBe(ask(fresh, ...args))
  expect(ask(worktree, "reflog", "HEAD").split("\n")).toEqual([
    expect.stringContaining("HEAD@{0}: coppice: "), // the new branch's own
  ])
  const dir = ask(worktree, "rev-parse", "--absolute-git-dir")
  const found = Object.entries({ ...snapshot(worktree), ...snapshot(dir) }).flat()
  expect(found.filter((text) => text.includes(SECRET))).toEqual([])
  expect(globSync("*", { cwd: dir }).sort()).toEqual([
    ...["HEAD", "commondir", "coppice.json", "gitdir", "index"],
  ])
})

test("a folder that became a link is a folder again, and what it leads to stays", async () => {
  using repo = new TestRepo()
  const to = repo.commit(TRACKED)
  const worktree = repo.worktree("task")
  const outside = join(repo.folder, "outside")
  repo.write({ "tracked.txt": "other\n", ".gitignore": "other\n", "a.txt": "a" }, outside)
  rmSync(join(worktree, "sub"), { recursive: true })
  symlinkSync(outside, join(worktree, "sub"))
  const dir = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  expect(await scrub({ worktree, dir, to, keep: [] })).toBe(true)
  expect(snapshot(worktree)).toEqual(snapshot(repo.worktree("fresh", to)))
  expect(readdirSync(outside).sort()).toEqual([".gitignore", "a.txt", "tracked.txt"])
  expect(readFileSync(join(outside, "tracked.txt"), "utf8")).toBe("other\n")
})

test.each([
  [
    "a submodule",
    ({ repo, dir }: { repo: TestRepo; dir: string }) =>
      repo.git("init", "--quiet", "--bare", join(dir, "modules/m")),
  ],
  [
    "a change of how files are written",
    ({ repo }: { repo: TestRepo }) => repo.commit({ "sub/.gitattributes": "*.txt eol=crlf\n" }),
  ],
])("after %s the worktree is removed instead", async (_, leave) => {
  await using bench = await PoolBench.of({ size: 1, ahead: 0 })
  const { repo } = bench
  const first = await bench.setUp(7)
  leave({ repo, dir: repo.gitIn(first.worktree, "rev-parse", "--absolute-git-dir") })
  await bench.tearDown(7, first)
  await bench.tended()
  expect(bench.states()).toEqual({})
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
})
