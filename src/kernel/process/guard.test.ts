import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, describe, expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { makeCgroup, removeCgroup } from "./cgroup.ts"
import { findProgram } from "./find-program.ts"
import { GUARD } from "./guard-script.ts"
import { ProcessOwner } from "./owner.ts"
import { readIdentity } from "./process-identity.ts"
import { listRunning } from "./process-table.ts"

const path = process.env["PATH"]!
const isGone = (pid: number) => () => readIdentity(pid) === undefined

/** A process that owns children, like a daemon, and prints their pids, one line each. */
async function startOwning(mark: string, code: string) {
  const program = `
    import { ProcessOwner } from ${JSON.stringify(join(import.meta.dirname, "owner.ts"))}
    const owner = new ProcessOwner({ mark: ${JSON.stringify(mark)} })
    const options = { cwd: "/", env: { PATH: process.env.PATH }, purpose: "agent", task: null }
    const { child } = await owner.spawn("sh", ["-c", ${JSON.stringify(code)}], options)
    child.stdout.pipe(process.stdout)
    setInterval(() => {}, 1000)`
  const args = ["--input-type=module", "-e", program]
  const daemon = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: path, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  })
  const lines = createInterface({ input: daemon.stdout })
  const [line] = (await once(lines, "line")) as [string]
  return { daemon, pids: line.split(" ").map(Number) }
}

const findGuard = (mark: string) => () => {
  const guard = listRunning().find(({ pid }) => commandOf(pid).includes(`\0${mark}\0`))
  return guard?.pid
}
const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return "" // ended between the listing and this read
  }
}

test("when the owner is killed, its children and their tools in other sessions end [10.2]", async () => {
  const tool = `trap "" TERM; while :; do sleep 0.05; done`
  const code = `setsid sh -c '${tool}' & echo $$ $!; wait`
  const { daemon, pids } = await startOwning(`killed-${process.pid}`, code)
  expect(pids.map((pid) => isGone(pid)())).toEqual([false, false])

  daemon.kill("SIGKILL")
  for (const pid of pids) await waitFor(`process ${pid} to be gone`, isGone(pid))
  await waitFor("the guard to be gone", () => !findGuard(`killed-${process.pid}`)())
})

test.skipIf(!makeCgroup(""))("an owner that starts nothing makes no control group", async () => {
  const mark = `idle-${process.pid}`
  await using _owner = new ProcessOwner({ mark })
  expect(isThere(mark)).toBe(false)
})

const controlGroup = makeCgroup(`coppice-try-${process.pid}`)
afterAll(() => controlGroup && removeCgroup(controlGroup))

test.skipIf(!controlGroup)(
  "when the owner is killed, a process that hid from it ends too (needs cgroup v2) [10.2]",
  async () => {
    const mark = `hidden-${process.pid}`
    const daemonized = `(sh -c "echo \\$\\$; exec sleep 1000" &)`
    const code = `setsid env -i PATH="$PATH" sh -c '${daemonized}' & exec sleep 1000`
    const { daemon, pids } = await startOwning(mark, code)
    expect(isGone(pids[0]!)()).toBe(false)

    daemon.kill("SIGKILL")
    await waitFor("the hidden process to be gone", isGone(pids[0]!))
    await waitFor("the control group to be gone", () => !isThere(mark))
  },
)
const isThere = (mark: string) => existsSync(join(makeCgroup("")!, `coppice-${mark}`))

test("a guard that is killed is replaced by one that knows the children", async () => {
  const mark = `replaced-${process.pid}`
  const loop = "echo $$; while :; do sleep 0.05; done"
  // Without the mark only its group identifies it.
  const code = `exec env -i PATH="$PATH" sh -c '${loop}'`
  const { daemon, pids } = await startOwning(mark, code)
  const first = await waitFor("the guard", findGuard(mark))
  process.kill(first, "SIGKILL")
  await waitFor("another guard", () => ![undefined, first].includes(findGuard(mark)()))

  daemon.kill("SIGKILL")
  await waitFor("the child to be gone", isGone(pids[0]!))
})

test("an owner that has finished leaves no guard behind", async () => {
  const mark = `done-${process.pid}`
  {
    await using owner = new ProcessOwner({ mark })
    const options = { cwd: "/", env: { PATH: path }, purpose: "agent", task: null } as const
    await (await owner.spawn("true", [], options)).exited
    expect(findGuard(mark)()).toBeDefined()
  }
  expect(findGuard(mark)()).toBeUndefined()
})

const shells = [["dash"], ["bash"], ["busybox", "sh"]].filter(([name]) =>
  findProgram(name!, { path, cwd: "/" }),
)
describe.each(shells)("the guard's script in %s", (shell, ...args) => {
  test("ends what is registered and spares what is no longer registered", async () => {
    const group = () => spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
    const [ended, spared, last] = [group(), group(), group()]
    const argv0 = args.length === 0 ? "sh" : shell! // bash called sh is the sh of some systems
    const guard = spawn(shell!, [...args, "-c", GUARD, "guard", "no-such-mark", "30", ""], {
      argv0,
      env: { PATH: path },
      stdio: ["pipe", "inherit", "inherit"],
    })
    const exited = once(guard, "exit")
    const script = [`+ ${ended.pid}`, `+ ${spared.pid}`, `+ ${last.pid}`, `- ${spared.pid}`]
    guard.stdin.end(`${script.join("\n")}\n`)

    const [[, signal]] = await Promise.all([once(ended, "exit"), once(last, "exit")])
    expect(signal).toBe("SIGTERM")
    expect(await exited).toEqual([0, null])
    expect(isGone(spared.pid!)()).toBe(false)
    spared.kill("SIGKILL")
  })
})
