/** Any file that git opens can be a pipe: git waits for it, and is ended at its limit. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { listRunning, readProcess } from "../../process/process-table.ts"
import { git } from "./exec.ts"
import { abortable, LIMITS } from "./limits.ts"

const repo = new TestRepo()
const tree = repo.worktree("b")
const common = join(repo.path, ".git")
const own = join(common, "worktrees/b")
const root = repo.tip("main^{tree}")
const usual = { ...LIMITS }

beforeAll(() => {
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "include.path", "included")
  repo.git("config", "core.splitIndex", "false")
  writeFileSync(join(tree, "new.txt"), "new")
  Object.assign(LIMITS, { gitMs: 400, abandonedMs: 300 })
})
afterAll(() => {
  Object.assign(LIMITS, usual)
  repo[Symbol.dispose]()
})

const STATUS = ["status", "--porcelain"]
const WAITING: readonly (readonly [file: string, args: readonly string[]])[] = [
  [join(common, "objects", root.slice(0, 2), root.slice(2)), ["ls-tree", root]],
  [join(common, "included"), ["rev-parse", "HEAD"]],
  [join(own, "index"), ["diff-files"]],
  [join(common, "info/exclude"), STATUS],
  [join(common, "info/attributes"), ["check-attr", "text", "a"]],
  [join(common, "objects/info/alternates"), ["cat-file", "-e", "1".repeat(40)]],
  [join(common, "shallow"), ["rev-list", "HEAD"]],
  [join(common, "logs/refs/heads/c"), ["update-ref", "refs/heads/c", "HEAD"]],
  [join(tree, ".gitignore"), STATUS],
  [join(tree, ".gitattributes"), ["check-attr", "text", "a"]],
  [join(tree, "new.txt"), ["hash-object", "new.txt"]],
]
const cases = WAITING.map(([file, args]) => ({ name: relative(repo.folder, file), file, args }))

test.each(cases)(
  "a git is ended where a pipe is in the place of $name [12.10]",
  async ({ file, args }) => {
    const aside = `${file}.aside`
    mkdirSync(dirname(file), { recursive: true })
    if (existsSync(file)) renameSync(file, aside)
    execFileSync("mkfifo", [file])
    try {
      await expect(git(tree, args)).rejects.toMatchObject({
        code: "git.timed_out",
        transient: true,
      })
    } finally {
      rmSync(file)
      if (existsSync(aside)) renameSync(aside, file)
    }
  },
)

/** A worker cannot cut output, so git is our own child, with a group of its own. */
const AS_CHILD = { cutAtBytes: 1000 }

test("a suspended git is resumed and ended, in a worker and as our child [12.10]", async () => {
  const args = ["-c", "alias.stop=!kill -STOP 0; sleep 100", "stop"]
  await expect(git(tree, args)).rejects.toMatchObject({ code: "git.timed_out" })
  let pid = 0
  const onPid = (told: number) => {
    pid = told
  }
  await expect(git(tree, args, { onPid, ...AS_CHILD })).rejects.toMatchObject({
    code: "git.timed_out",
  })
  expect(readProcess(pid)).toBeUndefined()
})

test.each([
  [
    "has ended has answered, even if a process that it left holds its pipes",
    "sleep 100 & echo left",
    "left\n",
  ],
  ["waits, and whose child does not end with it, is ended", "(trap '' TERM; sleep 100) & wait", ""],
])("one that %s", async (_, script, said) => {
  let pid = 0
  const onPid = (told: number) => {
    pid = told
  }
  const running = git(tree, ["-c", `alias.run=!${script}`, "run"], { onPid, ...AS_CHILD })
  if (said) {
    expect(await running).toMatchObject({ stdout: said })
    process.kill(-pid, "SIGKILL")
  } else await expect(running).rejects.toMatchObject({ code: "git.timed_out" })
  await waitFor("its group to be gone", () => listRunning().every(({ group }) => group !== pid))
})

test("one whose caller gives up has less time left [12.10]", async () => {
  Object.assign(LIMITS, { gitMs: 600_000 })
  const giveUp = new AbortController()
  const args = ["-c", "alias.wait=!sleep 1000", "wait"]
  const waiting = abortable(giveUp.signal, () => git(tree, args))
  giveUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: "git.timed_out" })
  const later = abortable(giveUp.signal, () => git(tree, ["rev-parse", "--is-inside-work-tree"]))
  expect((await later).stdout, "cleaning up is still possible").toBe("true\n")
})
