import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { makeCgroup, removeCgroup } from "./cgroup.ts"
import type { Launch } from "./fence.ts"
import type { OwnedChild } from "./owned-child.ts"
import { ProcessOwner, type Started } from "./owner.ts"
import { readIdentity } from "./process-identity.ts"

const env = { PATH: process.env["PATH"]! }
const cwd = realpathSync(mkdtempSync(join(tmpdir(), "owner-")))
afterAll(() => rmSync(cwd, { recursive: true }))
const options = { cwd, env, purpose: "agent", task: null } as const
let owners = 0
const mark = () => `test-${process.pid}-${++owners}`

/** Runs shell code and returns the numbers that it prints: pids. */
async function spawnTelling(owner: ProcessOwner, code: string) {
  const owned = await owner.spawn("sh", ["-c", code], options)
  const [line] = (await once(owned.child.stdout!, "data")) as [Buffer]
  return { owned, pids: line.toString().trim().split(/\s+/).map(Number) }
}
const output = async ({ child, exited }: OwnedChild) => {
  let text = ""
  child.stdout!.on("data", (chunk: Buffer) => {
    text += chunk
  })
  await exited
  return text
}
const isGone = (pid: number) => () => readIdentity(pid) === undefined

test("a child gets its arguments, folder, input and exactly the environment it was given", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const code = `cat; printf '%s|' "$0" "$@"; pwd; env | grep -v ^PWD= | sort`
  const owned = await owner.spawn("sh", ["-c", code, "a b", "c\nd", ""], {
    ...options,
    env: { ...env, GREETING: "hello\nworld" },
  })
  owned.child.stdin!.end("input;")
  const lines = await output(owned)
  expect(lines).toContain(`input;a b|c\nd||${cwd}\n`)
  expect(lines).toContain("GREETING=hello\n")
  expect(lines.match(/^[A-Z_]+(?==)/gm)).toEqual(["COPPICE_PROCESS", "GREETING", "PATH"])
})

test("a fence around a program that does not start is taken down", async () => {
  let cleaned = 0
  const cleanUp = async () => void cleaned++
  const contain = async (launch: Launch) => ({ ...launch, command: "coppice-none", cleanUp })
  await using owner = new ProcessOwner({ mark: mark(), contain })
  await expect(owner.spawn("sh", [], options)).rejects.toThrow("there is no program coppice-none")
  expect(cleaned).toBe(1)
})

test("a child leads a group of its own and does not hold the guard's pipe", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const code = `cut -d' ' -f5 /proc/self/stat; [ -e /dev/fd/3 ] && echo held || echo closed`
  const owned = await owner.spawn("sh", ["-c", code], options)
  expect(await output(owned)).toBe(`${owned.pid}\nclosed\n`)
})

test("start and exit are reported, with the process's identity", async () => {
  const told: unknown[] = []
  await using owner = new ProcessOwner({
    mark: mark(),
    onStart: ({ pid, identity }, { purpose, task }) => {
      expect(identity).toBe(readIdentity(pid))
      told.push(["start", pid, purpose, task])
    },
    onExit: (pid) => told.push(["exit", pid]),
  })
  const owned = await owner.spawn("sh", ["-c", "cat; exit 7"], options)
  owned.child.stdin!.end()
  expect(await owned.exited).toEqual({ code: 7, signal: null })
  expect(told).toEqual([
    ["start", owned.pid, "agent", null],
    ["exit", owned.pid],
  ])
})

test("a missing program is an error that names it", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  await expect(owner.spawn("no-such-program", [], options)).rejects.toMatchObject({
    code: "process.unstartable",
    message: "there is no program no-such-program",
  })
})

test("a missing folder is an error too", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const gone = join(cwd, "gone")
  await expect(owner.spawn("sh", [], { ...options, cwd: gone })).rejects.toMatchObject({
    code: "process.unstartable",
    message: `cannot start sh: no folder ${gone}`,
  })
})

test("an environment that is too large for the system is an error too", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const large = { ...options, env: { ...env, LARGE: "x".repeat(4_000_000) } }
  await expect(owner.spawn("sh", [], large)).rejects.toMatchObject({ code: "process.unstartable" })
})

test("a child that cannot be recorded does not run on", async () => {
  const pids: number[] = []
  const onStart = ({ pid }: Started) => {
    pids.push(pid)
    throw new Error("disk full")
  }
  await using owner = new ProcessOwner({ mark: mark(), onStart })
  await expect(owner.spawn("sleep", ["1000"], options)).rejects.toThrow("disk full")
  expect(pids.map((pid) => isGone(pid)())).toEqual([true])
})

test("processes that a child leaves running end when it exits", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const { owned, pids } = await spawnTelling(owner, "sleep 1000 & echo $!")
  await owned.exited
  expect(pids.every((pid) => isGone(pid)())).toBe(true)
})

test("ending a child ends a tool in a session of its own, even one that ignores TERM [10.1]", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const stubborn = `trap "" TERM; echo $$; while :; do sleep 0.05; done`
  const { owned, pids } = await spawnTelling(owner, `setsid sh -c '${stubborn}' & wait`)
  expect(pids[0]).not.toBe(owned.pid)
  await owned.end(50)
  expect(isGone(pids[0]!)()).toBe(true)
  expect(isGone(owned.pid)()).toBe(true)
})

test("a tool without the mark is found through its parent", async () => {
  await using owner = new ProcessOwner({ mark: mark() })
  const { owned, pids } = await spawnTelling(
    owner,
    `setsid env -i PATH="$PATH" sh -c 'echo $$; while :; do sleep 0.05; done' & wait`,
  )
  await owned.end(1000)
  expect(isGone(pids[0]!)()).toBe(true)
})

/** Leaves session, environment and parent behind, as ssh-agent and other daemons do. */
const ESCAPE = `setsid env -i PATH="$PATH" sh -c '
  (sh -c "echo \\$\\$; exec sleep 1000" &)' &
  wait; sleep 0.2`
const controlGroups = makeCgroup(mark())
afterAll(() => controlGroups && removeCgroup(controlGroups))

test.skipIf(!controlGroups)(
  "a process that hides, changes its session and loses its parent ends too (needs cgroup v2) [10.1]",
  async () => {
    const folders: (string | null)[] = []
    const onStart = ({ cgroup }: Started) => void folders.push(cgroup)
    await using owner = new ProcessOwner({ mark: mark(), onStart })
    const { owned, pids } = await spawnTelling(owner, ESCAPE)
    await owned.exited
    expect(isGone(pids[0]!)()).toBe(true)
    expect(folders.map((folder) => existsSync(folder!))).toEqual([false])
  },
)

test("without a control group such a process outlives its agent, as security.md says", async () => {
  const noName = "x".repeat(5_000) // too long for the path of a group
  await using owner = new ProcessOwner({ mark: `${mark()}${noName}` })
  const { owned, pids } = await spawnTelling(owner, ESCAPE)
  await owned.exited
  expect(isGone(pids[0]!)()).toBe(false)
  process.kill(pids[0]!, "SIGKILL")
  const said = readFileSync(join(import.meta.dirname, "../../../docs/security.md"), "utf8")
  expect(said).toContain("without a control group, a process that forks twice")
})

test("leaving the owner's scope ends all its children", async () => {
  const pids: number[] = []
  {
    await using owner = new ProcessOwner({ mark: mark() })
    for (let n = 0; n < 3; n++) pids.push((await owner.spawn("sleep", ["1000"], options)).pid)
    expect(pids.some((pid) => isGone(pid)())).toBe(false)
  }
  for (const pid of pids) await waitFor("the child to be gone", isGone(pid))
})
