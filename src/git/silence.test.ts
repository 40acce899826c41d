/** What git opens and nobody looks at before can be a pipe: git waits for it, and is ended. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { waitFor } from "../../test/support/wait-for.ts"
import { listRunning, readProcess } from "../process/process-table.ts"
import { abortable } from "./aborting.ts"
import { git } from "./exec.ts"
import { PATIENCE } from "./silence.ts"

const repo = new TestRepo()
const tree = repo.worktree("b")
const common = join(repo.path, ".git")
const own = join(common, "worktrees/b")
const root = repo.tip("main^{tree}")
const patient = { ...PATIENCE }

beforeAll(() => {
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "include.path", "included")
  repo.git("config", "core.splitIndex", "false")
  writeFileSync(join(tree, "new.txt"), "new")
  Object.assign(PATIENCE, { lookMs: 40, looksMax: 3 })
})
afterAll(() => {
  Object.assign(PATIENCE, patient)
  repo[Symbol.dispose]()
})

const STATUS = ["status", "--porcelain"]
const WAITING: readonly (readonly [file: string, args: readonly string[]])[] = [
  [join(common, "objects", root.slice(0, 2), root.slice(2)), ["ls-tree", root]],
  [join(common, "included"), ["rev-parse", "HEAD"]],
  [join(own, "config.worktree"), ["rev-parse", "HEAD"]],
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

test.each(cases)("is ended where a pipe is in the place of $name", async ({ file, args }) => {
  const aside = `${file}.aside`
  mkdirSync(dirname(file), { recursive: true })
  if (existsSync(file)) renameSync(file, aside)
  execFileSync("mkfifo", [file])
  try {
    await expect(git(tree, args)).rejects.toMatchObject({ code: "git.silent", transient: true })
  } finally {
    rmSync(file)
    if (existsSync(aside)) renameSync(aside, file)
  }
})

test("one that was stopped is told to go on and end, as a worker's and as a child of ours", async () => {
  const args = ["-c", "alias.stop=!kill -STOP 0; sleep 100", "stop"]
  for (const options of [{}, { signal: new AbortController().signal }]) {
    let pid = 0
    const onPid = (told: number) => {
      pid = told
    }
    const stopped = git(tree, args, { ...options, onPid })
    await expect(stopped).rejects.toMatchObject({ code: "git.silent" })
    expect(readProcess(pid)).toBeUndefined()
  }
})

test.each([
  ["has ended, and left somebody with its pipes, has answered", "sleep 100 & echo left", "left\n"],
  [
    "did nothing, and whose child does not end with it, is ended",
    "(trap '' TERM; sleep 100) & wait",
    "",
  ],
])("one that %s", async (_, script, said) => {
  const { signal } = new AbortController()
  let pid = 0
  const onPid = (told: number) => {
    pid = told
  }
  const running = git(tree, ["-c", `alias.run=!${script}`, "run"], { signal, onPid })
  if (said) {
    expect(await running).toMatchObject({ stdout: said })
    process.kill(-pid, "SIGKILL")
  } else await expect(running).rejects.toMatchObject({ code: "git.silent" })
  await waitFor("its group to be gone", () => listRunning().every(({ group }) => group !== pid))
})

test("one that works, or says a little now and then, is left to it however long", async () => {
  const works = "alias.work=!i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; echo worked"
  const sleeps = "alias.sleep=!for i in 1 2 3 4 5 6 7 8; do sleep .05; done; echo slept"
  const said = ["work", "sleep"].map((name) =>
    git(tree, ["-c", works, "-c", sleeps, name]).then(({ stdout }) => stdout),
  )
  expect(await Promise.all(said)).toEqual(["worked\n", "slept\n"])
})

test("one that nobody needs any more is ended sooner", async () => {
  Object.assign(PATIENCE, { looksMax: Number.POSITIVE_INFINITY })
  const giveUp = new AbortController()
  const args = ["-c", "alias.wait=!sleep 1000", "wait"]
  const waiting = abortable(giveUp.signal, () => git(tree, args))
  giveUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: "git.silent" })
})
