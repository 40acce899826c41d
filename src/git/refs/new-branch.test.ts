import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { branchRef, type Oid, type RefName } from "../../core/ids.ts"
import { readIdentity } from "../../process/identity.ts"
import { writeNewBranch } from "./new-branch.ts"

const REF = branchRef("agent/sh/4-do")
const committer = { name: "c", email: "c@example.com" }

const common = (repo: TestRepo) => join(repo.path, ".git")

const make = (repo: TestRepo, ref: RefName = REF, to: Oid = repo.tip("main")) =>
  writeNewBranch(common(repo), { ref, to, reason: "made for task 4", committer })

const left = (repo: TestRepo) =>
  globSync(["coppice.refs/*", "refs/**/*.lock"], { cwd: common(repo) }).sort()

test.each(["sha1", "sha256"] as const)("makes it as git does, with its log: %s", (objectFormat) => {
  using repo = new TestRepo({ objectFormat })
  const [by, to] = [branchRef("agent/sh/5-by-git"), repo.tip("main")]
  expect(make(repo)).toBe(true)
  repo.git("update-ref", "--create-reflog", "-m", "made for task 4", by, to, "0".repeat(to.length))
  const read = (name: string) => readFileSync(join(common(repo), name), "utf8")
  expect(read(REF)).toBe(read(by))
  const log = (ref: RefName) => read(`logs/${ref}`).replace(/> \d+ [+-]\d+\t/, "> TIME\t")
  expect(log(REF)).toBe(log(by))
  expect(repo.git("reflog", "-1", "--format=%gs", REF)).toBe("made for task 4")
  repo.git("fsck", "--no-progress")
  expect(left(repo)).toEqual([])
})

const ELSEWHERE: readonly (readonly [string, (repo: TestRepo) => unknown])[] = [
  ["is there", (repo) => repo.git("branch", "agent/sh/4-do")],
  ["is packed", (repo) => [repo.git("branch", "agent/sh/4-do"), repo.git("pack-refs", "--all")]],
  ["is named like a folder of it", (repo) => repo.git("branch", "agent/sh")],
  [
    "is packed and named like a folder of it",
    (repo) => [repo.git("branch", "agent"), repo.git("pack-refs", "--all")],
  ],
  ["has its name as a folder", (repo) => repo.git("branch", "agent/sh/4-do/more")],
  [
    "is packed and has its name as a folder",
    (repo) => [repo.git("branch", "agent/sh/4-do/more"), repo.git("pack-refs", "--all")],
  ],
  ["is yet to be born in the main worktree", (repo) => repo.git("symbolic-ref", "HEAD", REF)],
]

test.each(ELSEWHERE)("changes nothing where a branch %s", (_, arrange) => {
  using repo = new TestRepo()
  const to = repo.tip("main")
  arrange(repo)
  rmSync(join(common(repo), "logs/refs"), { recursive: true }) // a repository may keep none
  const refs = repo.git("for-each-ref")
  expect(make(repo, REF, to)).toBe(false)
  expect(repo.git("for-each-ref")).toBe(refs)
  expect(left(repo)).toEqual([])
})

test.each(["a b", "-a", "a..b", "a.lock", "a/.b", "ä"])("leaves the name %s to git", (name) => {
  using repo = new TestRepo()
  expect(make(repo, branchRef(name))).toBe(false)
})

test("waits for nobody's lock, and does not take it away", () => {
  using repo = new TestRepo()
  mkdirSync(join(common(repo), "refs/heads/agent/sh"), { recursive: true })
  writeFileSync(join(common(repo), `${REF}.lock`), "")
  expect(make(repo)).toBe(false)
  expect(left(repo)).toEqual([`${REF}.lock`])
})

/** What a process leaves that is killed before the branch is there. */
function leave(repo: TestRepo, pid: number, identity: string): void {
  const draft = [String(pid), identity, REF].map(encodeURIComponent).join(" ")
  for (const folder of ["coppice.refs", "refs/heads/agent/sh"])
    mkdirSync(join(common(repo), folder), { recursive: true })
  writeFileSync(join(common(repo), "coppice.refs", draft), "half")
  linkSync(join(common(repo), "coppice.refs", draft), join(common(repo), `${REF}.lock`))
}

test("takes over the lock of one that was killed, and of nobody who lives", async () => {
  using repo = new TestRepo()
  const living = spawn("sleep", ["60"], { stdio: "ignore" })
  const { pid = 0 } = living
  const identity = readIdentity(pid) ?? ""
  leave(repo, pid, identity)
  expect(make(repo)).toBe(false)
  living.kill("SIGKILL")
  await once(living, "exit")
  expect(make(repo)).toBe(true)
  expect(left(repo)).toEqual([])
  expect(repo.tip("agent/sh/4-do")).toBe(repo.tip("main"))
})

test("killed when the branch is there, it leaves the branch whole, and others' locks", () => {
  using repo = new TestRepo()
  expect(make(repo)).toBe(true)
  const draft = [String(2 ** 22 + 1), "gone", REF].map(encodeURIComponent).join(" ")
  linkSync(join(common(repo), REF), join(common(repo), "coppice.refs", draft))
  writeFileSync(join(common(repo), `${REF}.lock`), "") // of somebody who moves it since
  expect(make(repo, branchRef("agent/sh/5"))).toBe(true)
  expect(repo.tip("agent/sh/4-do")).toBe(repo.tip("main"))
  expect(left(repo)).toEqual([`${REF}.lock`])
})

const SHORT_OF_ROOM = 'trap \'\' XFSZ; ulimit -f 1; exec "$0" --input-type=module -e "$1"'

test("where there is no room for its log, nothing is left of it", () => {
  using repo = new TestRepo()
  const committer = { name: "long ".repeat(500), email: "c@example.com" }
  const branch = { ref: REF, to: repo.tip("main"), reason: "made for task 4", committer }
  const url = new URL("./new-branch.ts", import.meta.url).href
  const args = [common(repo), branch].map((arg) => JSON.stringify(arg)).join(", ")
  const script = `console.log((await import("${url}")).writeNewBranch(${args}))`
  const options = { encoding: "utf8", env: repo.env } as const
  const said = execFileSync("sh", ["-c", SHORT_OF_ROOM, process.execPath, script], options)
  expect(said).toBe("false\n")
  expect(globSync("logs/refs/heads/agent/**/*-do", { cwd: common(repo) })).toEqual([])
  expect(left(repo)).toEqual([])
})

test("of it and a git that make one branch at the same time, one makes it", async () => {
  using repo = new TestRepo()
  const [ours, theirs] = [repo.tip("main"), repo.commit({ "theirs.txt": "t" })]
  for (let round = 0; round < 8; round++) {
    const ref = branchRef(`race/${round}`)
    const args = ["update-ref", ref, theirs, "0".repeat(ours.length)]
    const git = spawn("git", args, { cwd: repo.path, env: repo.env, stdio: "ignore" })
    const ended = once(git, "exit")
    await delay(round / 2) // at another instant each time
    const isOurs = make(repo, ref, ours)
    const [code] = await ended
    expect([isOurs, code === 0].filter(Boolean)).toHaveLength(1)
    expect(repo.git("rev-parse", ref)).toBe(isOurs ? ours : theirs)
  }
  expect(left(repo)).toEqual([])
})
