import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { judgeLock } from "../../process/lock-holder.ts"
import { readIdentity, seesAllProcesses } from "../../process/process-identity.ts"
import { clearDeadLocks, clearDeadLocksOf } from "./dead-locks.ts"

let repo: TestRepo
const started: ChildProcess[] = []
beforeEach(() => {
  repo = new TestRepo()
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL")
  repo[Symbol.dispose]()
})

const at = (name: string) => join(repo.path, ".git", name)
/** As old as a lock that was left some time ago. */
function age(lock: string) {
  const seconds = Date.now() / 1000 - 30
  utimesSync(lock, seconds, seconds)
}
function leave(name: string, text = "") {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
  age(at(name))
  return at(name)
}
function start(command: string, args: readonly string[], also = {}): ChildProcess {
  const env = { ...repo.env, GIT_EDITOR: "sleep 60 #", ...also }
  const child = spawn(command, args, { cwd: repo.path, env, stdio: ["pipe", "ignore", "ignore"] })
  started.push(child)
  return child
}
const canMount = () =>
  spawnSync("unshare", ["--mount", "mount", "--bind", "/tmp", "/tmp"], { stdio: "ignore" })
    .status === 0
const ownerLine = (pid: number, identity: string | undefined) =>
  `${JSON.stringify({ coppice: { pid, identity } })}\n`

describe.skipIf(!seesAllProcesses())(
  "where all processes are visible (the first pid namespace)",
  () => {
    test("a worktree is free of the locks that its last processes left, however young [12.12]", async () => {
      const worktree = repo.worktree("feat")
      const dir = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
      const locks = [`${dir}/index.lock`, at("refs/heads/feat.lock")]
      for (const lock of locks) writeFileSync(lock, "")
      const place = { path: repo.path, worktree, branch: "feat" }
      await clearDeadLocksOf(place, new AbortController().signal)
      expect(locks.filter((lock) => existsSync(lock))).toEqual([])
    })

    test("the locks of a killed git are removed, in the repository and its worktrees [12.12]", async () => {
      repo.git("worktree", "add", "--quiet", `${repo.path}.linked`)
      const linked = `${repo.path}.linked`.split("/").at(-1)!
      const names = [
        "index.lock",
        "HEAD.lock",
        "packed-refs.lock",
        "packed-refs.new",
        `worktrees/${linked}/index.lock`,
      ]
      const locks = [...names, "refs/heads/a/b.lock", "refs/coppice/7/head.lock"].map((name) =>
        leave(name),
      )
      // A git of another test that is just starting may be taken for a holder, for that moment.
      await waitFor("the locks to be removed", async () => {
        expect(await clearDeadLocks(repo.path)).toEqual([])
        return locks.every((lock) => !existsSync(lock))
      })
    })

    test("a young lock stays, also on a file system whose clock is a little ahead [12.12]", () => {
      const lock = leave("refs/heads/young.lock")
      for (const aheadS of [0, 30]) {
        utimesSync(lock, Date.now() / 1000 + aheadS, Date.now() / 1000 + aheadS)
        expect(judgeLock(lock, { folders: [], patienceMs: 60_000 })).toBe("held")
      }
    })

    test("a dead lock whose time is in the future, since the clock was set back, is removed [12.12]", async () => {
      const lock = leave("index.lock")
      utimesSync(lock, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400)
      await waitFor("the lock to be removed", async () => {
        await clearDeadLocks(repo.path)
        return !existsSync(lock)
      })
    })

    test("the index of a git that waits for its editor stays locked, and is free when that git was killed", async () => {
      repo.write({ "a.txt": "a" })
      repo.git("add", ".")
      const git = start("git", ["commit", "--all"])
      const lock = await waitFor(
        "git's lock",
        () => existsSync(at("index.lock")) && at("index.lock"),
      )
      age(lock)
      await clearDeadLocks(repo.path)
      expect(existsSync(lock)).toBe(true)
      git.kill("SIGKILL")
      await once(git, "exit")
      await waitFor("the lock to be removed", async () => {
        await clearDeadLocks(repo.path)
        return !existsSync(lock)
      })
    })

    test("a ref stays locked while a git has prepared to move it, wherever that git runs [12.12]", async () => {
      const git = start("git", ["-C", "/", "--git-dir", at(""), "update-ref", "--stdin"])
      git.stdin!.write("start\ncreate refs/heads/new HEAD\nprepare\n")
      const lock = at("refs/heads/new.lock")
      await waitFor("git's lock", () => existsSync(lock))
      age(lock)
      await clearDeadLocks(repo.path)
      expect(existsSync(lock)).toBe(true)
    })

    test.each([
      ["one that is named from a folder that git has left", ["--git-dir=.git", "--work-tree=.."]],
      ["one that a link names", ["-C", "/", "--git-dir=LINK", "--work-tree=/proc/self"]],
    ])("a git of another folder's files keeps its lock: %s", async (_name, args) => {
      const link = `${repo.path}.link`
      symlinkSync(at(""), link)
      const named = args.map((arg) => arg.replace("LINK", link))
      const git = start("git", [...named, "update-ref", "--stdin"], { PWD: "" })
      git.stdin!.write("start\ncreate refs/heads/new HEAD\nprepare\n")
      const lock = at("refs/heads/new.lock")
      await waitFor("git's lock", () => existsSync(lock))
      age(lock)
      await clearDeadLocks(repo.path)
      rmSync(link)
      expect(existsSync(lock)).toBe(true)
    })

    test.skipIf(!canMount())(
      "a held lock stays even if its holder has another path of the repository [12.12]",
      async () => {
        const elsewhere = `${repo.path}.mount`
        mkdirSync(elsewhere)
        const inThere = `mount --bind . ${elsewhere} && cd ${elsewhere} && exec env -i PATH="$PATH" "$@"`
        const startThere = (...words: string[]) =>
          start("unshare", ["--mount", "sh", "-c", inThere, "sh", ...words], { PWD: "" })
        const ref = at("refs/heads/new.lock")
        const git = startThere("git", "update-ref", "--stdin")
        git.stdin!.write("start\ncreate refs/heads/new HEAD\nprepare\n")
        startThere("sh", "-c", "exec 9>.git/index.lock; exec sleep 60")
        const locks = [ref, at("index.lock")]
        await waitFor("the locks", () => locks.every((lock) => existsSync(lock)))
        for (const lock of locks) age(lock)
        await clearDeadLocks(repo.path)
        rmSync(elsewhere, { recursive: true })
        expect(locks.map((lock) => existsSync(lock))).toEqual([true, true])
      },
    )

    test("a lock that another program has open stays [12.12]", async () => {
      const lock = leave("index.lock")
      start("sh", ["-c", `cd /; exec 9>>'${lock}'; touch '${at("open")}'; exec sleep 60`])
      await waitFor("the program", () => existsSync(at("open")))
      age(lock)
      await clearDeadLocks(repo.path)
      expect(existsSync(lock)).toBe(true)
    })
  },
)

test("a lock that names its owners goes when all of them have ended, and not before", async () => {
  const child = start("sleep", ["60"])
  await once(child, "spawn")
  const [boot, namespace] = readIdentity(process.pid)!.split(":")
  const dead = ownerLine(child.pid!, `${boot}:${namespace}:1`)
  const lock = leave("index.lock", dead + ownerLine(child.pid!, readIdentity(child.pid!)))
  await clearDeadLocks(repo.path)
  expect(existsSync(lock)).toBe(true)
  child.kill("SIGKILL")
  await once(child, "exit")
  await clearDeadLocks(repo.path)
  expect(existsSync(lock)).toBe(false)
})

test("an owner in another pid namespace may be alive [12.12]", async () => {
  const [boot] = readIdentity(process.pid)!.split(":")
  const lock = leave("index.lock", ownerLine(999_999, `${boot}:1:1`))
  await clearDeadLocks(repo.path)
  expect(existsSync(lock)).toBe(true)
})

test("two daemons that find the same dead lock never remove the next one's [12.12]", async () => {
  const lock = leave("index.lock", ownerLine(1, "an:earlier:boot"))
  const mine = ownerLine(process.pid, readIdentity(process.pid))
  const take = async () => {
    await clearDeadLocks(repo.path)
    try {
      writeFileSync(lock, mine, { flag: "wx" })
      return 1
    } catch {
      return 0
    }
  }
  const taken = await Promise.all(Array.from({ length: 8 }, take))
  expect(taken.reduce<number>((sum, one) => sum + one, 0)).toBe(1)
  expect(readFileSync(lock, "utf8")).toBe(mine)
})
