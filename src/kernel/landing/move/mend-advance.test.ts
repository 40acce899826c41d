import { spawn } from "node:child_process"
import {
  chmodSync,
  closeSync,
  existsSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { bundleLandingMain } from "../../../../test/support/bundled.ts"
import { LandingTest } from "../../../../test/support/landing.ts"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { LandingId, Oid } from "../../../base/ids.ts"
import { recheckWait } from "../recheck-wait.ts"
import { recordIntent } from "../rows/record.ts"
import type { Intent } from "./advance-branch.ts"

const OLD = {
  "a.txt": "old a\n",
  "gone.txt": "gone\n",
  "dir/x": "x\n",
  "flip/in": "in\n",
  other: "o\n",
}
const NEW = {
  "a.txt": "new a, longer\n",
  "gone.txt": null,
  "dir/y/z": "z\n",
  "flip/in": null,
  run: "run\n",
}
const DEAD = { pid: 999_999_999, identity: "dead" }
const locks = ["index.lock", "HEAD.lock", "refs/heads/main.lock"]

type Cut = {
  readonly it: LandingTest
  readonly repo: TestRepo
  readonly id: LandingId
  readonly from: Oid
  readonly to: Oid
}

/** A landing in `publishing` whose processes all died after they had done `leave`. */
async function cutOff(leave: (cut: Cut) => void, then: (cut: Cut) => Promise<void>) {
  using repo = new TestRepo()
  const from = repo.commit(OLD, "M0")
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.write(NEW, worktree)
  rmSync(join(worktree, "flip"), { recursive: true, force: true })
  chmodSync(join(worktree, "other"), 0o755)
  const to = repo.commit({ flip: "now a file\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  while (it.landing(id).state !== "publishing") await it.step(id)
  const ref = "refs/heads/main" as Intent["ref"]
  const locker = { ...DEAD, startedAtMs: Date.now() }
  const intent: Intent = { ref, checkout: repo.path, from, to, locker }
  recordIntent(it.db, { id }, "app", intent)
  writeFileSync(join(repo.path, ".git/refs/heads/main.lock"), `${to}\n`)
  writeFileSync(join(repo.path, ".git/HEAD.lock"), "")
  writeFileSync(join(repo.path, ".git/index.lock"), `${JSON.stringify({ coppice: DEAD })}\n`)
  const cut = { it, repo, id, from, to }
  leave(cut)
  await then(cut)
}

async function lands({ it, repo, id, to }: Cut) {
  expect(await it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED", attempts: 0 })
  expect(it.tip("main")).toBe(to)
  isClean({ it, repo })
}
function isClean({ repo, it }: Pick<Cut, "repo" | "it">) {
  expect(repo.git("status", "--porcelain")).toBe("")
  expect(locks.filter((lock) => existsSync(join(repo.path, ".git", lock)))).toEqual([])
  const inGit = readdirSync(join(repo.path, ".git"))
  expect(inGit.filter((name) => /^index\.coppice|^index\.lock/.test(name))).toEqual([])
  expect(it.db.prepare("select intent from landing_repos where intent is not null").all()).toEqual(
    [],
  )
}

/** The changes of a killed `read-tree` to the files, in its own order. */
const removed = ({ repo }: Cut) => {
  rmSync(join(repo.path, "gone.txt"))
  rmSync(join(repo.path, "flip"), { recursive: true })
}
const half = (cut: Cut) => {
  removed(cut)
  cut.repo.write({ "a.txt": "new a" })
}
const whole = (cut: Cut) => {
  removed(cut)
  const files = Object.entries({ ...NEW, flip: "now a file\n" }).filter(([, text]) => text !== null)
  cut.repo.write(Object.fromEntries(files.filter(([path]) => path !== "flip/in")) as Files)
  chmodSync(join(cut.repo.path, "other"), 0o755)
}

describe("a crash is repaired, and the landing lands", () => {
  test.each<[string, (cut: Cut) => void]>([
    ["only the locks", () => {}],
    ["files removed", removed],
    ["a file cut short", half],
    [
      "an empty file",
      (cut) => {
        removed(cut)
        cut.repo.write({ "a.txt": "", run: "" })
      },
    ],
    ["all files written, the index not", whole],
    [
      "all files written, and a half-made index beside it",
      (cut) => {
        whole(cut)
        writeFileSync(join(cut.repo.path, ".git/index.coppice"), "half")
        writeFileSync(join(cut.repo.path, ".git/index.coppice.lock"), "half")
      },
    ],
    [
      "files and index, the ref not",
      ({ repo, to, from }) => {
        rmSync(join(repo.path, ".git/index.lock"))
        repo.git("read-tree", "-m", "-u", from, to)
      },
    ],
    [
      "files, index and ref, HEAD's lock not",
      ({ repo, to, from }) => {
        for (const lock of locks) rmSync(join(repo.path, ".git", lock))
        repo.git("read-tree", "-m", "-u", from, to)
        repo.git("update-ref", "refs/heads/main", to)
        writeFileSync(join(repo.path, ".git/HEAD.lock"), "")
      },
    ],
    [
      "a ref's lock that was not written yet",
      ({ repo }) => {
        truncateSync(join(repo.path, ".git/refs/heads/main.lock"), 0)
      },
    ],
    [
      "a mending that was cut off while it wrote the old bytes",
      (cut) => {
        const { it, id, repo } = cut
        half(cut)
        repo.write({ "a.txt": "old" })
        const intent = it.landing(id).repos[0]!.intent as Intent
        recordIntent(it.db, { id }, "app", { ...intent, mending: true })
      },
    ],
  ])("%s", async (_, leave) => {
    await cutOff(leave, lands)
  })
})

test("bytes of the user's elsewhere, staged or not, stay through the mending [7.2]", async () => {
  const leave = (cut: Cut) => {
    rmSync(join(cut.repo.path, ".git/index.lock"))
    cut.repo.write({ "staged.txt": "staged\n" })
    cut.repo.git("add", "staged.txt")
    writeFileSync(join(cut.repo.path, ".git/index.lock"), `${JSON.stringify({ coppice: DEAD })}\n`)
    half(cut)
    cut.repo.write({ "README.md": "edited\n", notes: "notes\n" })
  }
  await cutOff(leave, async ({ it, repo, id }) => {
    expect(await it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(repo.git("status", "--porcelain")).toBe("M README.md\nA  staged.txt\n?? notes")
    expect(readFileSync(join(repo.path, "README.md"), "utf8")).toBe("edited\n")
  })
})

describe("foreign bytes in one path: waits as DIRTY_MAIN, and nothing changes", () => {
  const state = ({ repo }: Cut) => [
    readdirSync(repo.path, { recursive: true }).filter((name) => !String(name).startsWith(".git")),
    ...["a.txt", "dir/x", "flip"].map((path) => {
      const file = join(repo.path, path)
      return existsSync(file) && readdirOrRead(file)
    }),
    repo.git("ls-files", "--stage"),
    repo.tip("main"),
  ]
  const readdirOrRead = (file: string) => {
    try {
      return readFileSync(file, "utf8")
    } catch {
      return readdirSync(file)
    }
  }
  test.each<[string, Files, string[]]>([
    ["an edit", { "a.txt": "mine\n" }, ["a.txt"]],
    ["a new file where one lands", { "dir/y/z": "mine\n" }, ["dir/y/z"]],
    ["more than the new bytes", { "a.txt": "new a, longer\nand mine\n" }, ["a.txt"]],
    ["a new file where a folder was", { flip: "mine\n" }, ["flip"]],
    [
      "a file in a folder where a removed file was",
      { "gone.txt/mine": "mine\n" },
      ["gone.txt/mine"],
    ],
  ])("%s", async (_, files, paths) => {
    const leave = (cut: Cut) => {
      half(cut)
      cut.repo.write(files)
    }
    await cutOff(leave, async (cut) => {
      const { it, id, repo } = cut
      const before = state(cut)
      const details = { paths: expect.arrayContaining(paths) }
      expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN", details })
      it.wake(id)
      expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
      await recheckWait(it.context, id, new AbortController().signal)
      expect(it.landing(id).state, "it takes no lock to find the same").toBe("waiting")
      expect(state(cut)).toEqual(before)
      for (const path of paths) rmSync(join(repo.path, path))
      it.wake(id)
      await lands(cut)
    })
  })
})

test("no other git writes the index while we check who wrote the files", async () => {
  const leave = (cut: Cut) => {
    const free = join(cut.repo.folder, "free")
    half(cut)
    writeFileSync(join(cut.repo.path, ".git/info/attributes"), "a.txt filter=look\n")
    const smudge = `test -e .git/index.lock || touch ${free}; cat`
    cut.repo.userConfig("filter.look.smudge", smudge)
  }
  await cutOff(leave, async (cut) => {
    await lands(cut)
    expect(readdirSync(cut.repo.folder)).not.toContain("free")
  })
})

test("a symbolic link cannot lead the mending out of the checkout", async () => {
  const outside = (repo: TestRepo) => join(repo.folder, "outside")
  const leave = (cut: Cut) => {
    half(cut)
    rmSync(join(cut.repo.path, "dir"), { recursive: true, force: true })
    mkdirSync(outside(cut.repo))
    symlinkSync(outside(cut.repo), join(cut.repo.path, "dir"))
  }
  await cutOff(leave, async ({ it, repo, id }) => {
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
    expect(readdirSync(outside(repo))).toEqual([])
  })
})

test("the user has committed since: their commit stays, the rest goes back, and the landing lands on top", async () => {
  const leave = (cut: Cut) => {
    const { repo } = cut
    half(cut)
    for (const lock of locks) rmSync(join(repo.path, ".git", lock)) // by the user's own hand
    repo.write({ "mine.txt": "mine\n" })
    repo.git("add", "mine.txt")
    repo.git("commit", "--quiet", "--message", "mine")
  }
  await cutOff(leave, async (cut) => {
    const { it, id } = cut
    expect(await it.runThrough(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.history()).toEqual(["commit", "M0", "mine", "A1"])
    expect(it.files()["mine.txt"]).toBe("mine")
    isClean(cut)
  })
})

test("the user has committed all that had come: it is theirs, and nothing is taken out of it", async () => {
  const leave = ({ repo, from, to }: Cut) => {
    for (const lock of locks) rmSync(join(repo.path, ".git", lock))
    repo.git("read-tree", "-m", "-u", from, to)
    repo.git("commit", "--quiet", "--message", "mine")
  }
  await cutOff(leave, async (cut) => {
    expect(await cut.it.runThrough(cut.id)).toMatchObject({ state: "landed" })
    expect(cut.it.history()).toEqual(["commit", "M0", "mine"])
    expect(readFileSync(join(cut.repo.path, "dir/y/z"), "utf8")).toBe("z\n")
    isClean(cut)
  })
})

test.each([
  ["index.lock", ""],
  ["HEAD.lock", ""],
  ["refs/heads/main.lock", "0".repeat(40)],
])("another process's lock, %s, is not removed", async (name, text) => {
  let held = 0
  const leave = ({ repo }: Cut) => {
    for (const lock of locks) rmSync(join(repo.path, ".git", lock))
    held = openSync(join(repo.path, ".git", name), "wx")
    writeSync(held, text)
    futimesSync(held, 0, 0)
  }
  await cutOff(leave, async (cut) => {
    const { it, repo, id } = cut
    expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
    rmSync(join(repo.path, ".git", name)) // throws if it was removed
    closeSync(held)
    it.wake(id)
    await lands(cut)
  })
})

test("a checkout that was removed since needs no repair", async () => {
  using repo = new TestRepo()
  repo.git("checkout", "--quiet", "-b", "away")
  const linked = join(repo.folder, "linked")
  repo.git("worktree", "add", "--quiet", linked, "main")
  await using it = new LandingTest(repo)
  repo.commit({ a: "a" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  while (it.landing(id).state !== "publishing") await it.step(id)
  const { base, candidate } = it.landing(id).repos[0]!
  const intent = { ref: "refs/heads/main", checkout: linked, from: base, to: candidate }
  recordIntent(it.db, { id }, "app", intent)
  repo.git("worktree", "remove", linked)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
})

describe("kill -9 in mid-work, while git holds at one of the files", () => {
  const FILES = 100
  const many = (text: string): Files =>
    Object.fromEntries(
      Array.from({ length: FILES }, (_, n) => [`d${n % 50}/f${n}`, `${text} ${n}\n`.repeat(20)]),
    )
  type Owner = { coppice: { pid: number } }
  const ownersOf = (lock: string): number[] => {
    try {
      return readFileSync(lock, "utf8")
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Owner).coppice.pid)
    } catch {
      return [] // not there yet, or gone
    }
  }
  const kill = (pid: number | undefined) => {
    try {
      if (pid !== undefined) process.kill(pid, "SIGKILL")
    } catch {
      // the process has ended by itself
    }
  }

  test.each([
    ["the program and its git processes", 0.1, ["program", "reader", "locker"]],
    ["the program and its git processes", 0.8, ["program", "reader", "locker"]],
    ["the program alone", 0.3, ["program"]],
    ["git read-tree alone", 0.3, ["reader"]],
    ["git update-ref alone", 0.5, ["locker"]],
  ])("%s, after %f of the files", async (_, share, victims) => {
    using repo = new TestRepo()
    const held = Object.keys(many("")).sort()[Math.floor(FILES * share)]!
    const [gate, at] = [join(repo.folder, "gate"), join(repo.folder, "at")]
    const smudge = `[ ! -e '${gate}' ] || : > '${at}'; while [ -e '${gate}' ]; do sleep 0.02; done; cat`
    repo.userConfig("filter.held.smudge", smudge)
    repo.commit({ ...many("old"), ".gitattributes": `${held} filter=held\n` }, "M0")
    const dbPath = join(repo.folder, "store.db")
    await using it = new LandingTest(repo, { dbPath })
    const to = repo.commit(many("new"), "A1", repo.worktree("feat"))
    const id = it.submit({ branch: "feat" })
    repo.write({ "notes.txt": "mine" })
    writeFileSync(gate, "")

    const main = await bundleLandingMain()
    const words = [main, repo.folder, repo.path, dbPath, String(id)]
    const child = spawn(process.execPath, words, { stdio: "ignore" })
    const exited = new Promise((resolve) => child.once("exit", resolve))
    const lock = join(repo.path, ".git/index.lock")
    const isHeld = () => existsSync(at) || child.exitCode !== null
    await waitFor("git to come to the file", isHeld, 30_000)
    const reader = ownersOf(lock).at(1)
    const intent = it.landing(id).repos[0]!.intent as Intent | null
    const pids = { program: child.pid, reader, locker: intent?.locker?.pid }
    for (const victim of victims) kill(pids[victim as keyof typeof pids])
    rmSync(gate)
    await exited
    expect(reader, "git was held").toBeDefined()
    expect(intent, "git was held").not.toBe(null)

    // A git that we did not kill goes on for a while; until then it is waited for.
    const isLanded = async () => (await it.runThrough(id)).state === "landed"
    await waitFor("the landing to land", isLanded)
    expect(it.landing(id).outcome).toBe("LANDED")
    expect(it.tip("main")).toBe(to)
    expect(repo.git("status", "--porcelain")).toBe("?? notes.txt")
    expect(locks.filter((name) => existsSync(join(repo.path, ".git", name)))).toEqual([])
    repo.git("commit", "--quiet", "--allow-empty", "--message", "the user can commit")
  })
})
