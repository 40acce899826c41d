import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { baseEnvironment } from "./environment.ts"
import { git } from "./exec.ts"
import { GitWorker, type WorkerCommand } from "./worker.ts"
import { runPooled } from "./worker-pool.ts"

const env = { PATH: process.env["PATH"], HOME: "/nowhere" }
const NOTHING = { env: {}, outputBytesMax: 1 << 20 }

async function ran(worker: GitWorker, command: WorkerCommand) {
  const answer = await worker.run(command)
  if (answer.kind !== "ran") throw new Error(`it is ${answer.kind}`)
  return answer
}

test("tells what git says byte for byte, with its exit code, one command after the other", async () => {
  using repo = new TestRepo()
  const worker = new GitWorker(env)
  const bytes = Buffer.from([0, 10, 255, 13, 39, 10, 10])
  const stdinPath = join(repo.folder, "input 'quoted'")
  writeFileSync(stdinPath, bytes)
  const at = { ...NOTHING, cwd: repo.path }

  const written = await ran(worker, { ...at, args: ["hash-object", "-w", "--stdin"], stdinPath })
  const oid = written.stdout.toString().trim()
  const read = await ran(worker, { ...at, args: ["cat-file", "blob", oid] })
  expect({ exitCode: read.exitCode, stdout: read.stdout }).toEqual({ exitCode: 0, stdout: bytes })
  const failed = await ran(worker, { ...at, args: ["cat-file", "blob", "no such thing"] })
  expect(failed.exitCode).toBe(128)
  expect(failed.stderr.toString()).toContain("no such thing")
})

test("passes arguments and variables as they are", async () => {
  using repo = new TestRepo()
  const worker = new GitWorker(env)
  const odd = `a 'b' "c" $HOME \`d\` \\ * ü -n`
  const args = ["-c", `alias.say=!printf %s "$GIT_SAID"`, "say"]
  const at = { cwd: repo.path, env: { GIT_SAID: odd }, outputBytesMax: 1000 }
  expect((await ran(worker, { ...at, args })).stdout.toString()).toBe(odd)
  const quoted = await ran(worker, { ...at, args: ["rev-parse", "--sq-quote", odd] })
  expect(quoted.stdout.toString().trim()).toBe(`'${odd.replaceAll("'", `'\\''`)}'`)
})

test("a missing folder is not taken for a failure of git", async () => {
  const worker = new GitWorker(env)
  const command = { ...NOTHING, cwd: "/no/such/folder", args: ["version"] }
  expect(await worker.run(command)).toEqual({ kind: "no_folder" })
  await expect(git("/no/such/folder", ["version"])).rejects.toMatchObject({
    code: "git.folder_missing",
  })
})

test("a missing folder gives no process id, though the word of its answer begins with digits", async () => {
  const worker = new GitWorker(env)
  const pids: number[] = []
  const onPid = (pid: number) => pids.push(pid)
  const command = { ...NOTHING, cwd: "/no/such/folder", args: ["version"], onPid }
  for (
    let time = 0;
    time < 20;
    time++ // each has another random word
  )
    expect(await worker.run(command)).toEqual({ kind: "no_folder" })
  expect(pids).toEqual([])
})

test("an answer without end is ended, and another worker takes over", async () => {
  using repo = new TestRepo()
  const worker = new GitWorker(env)
  const args = ["-c", "alias.yes=!yes", "yes"]
  const command = { cwd: repo.path, env: {}, args, outputBytesMax: 100_000 }
  expect(await worker.run(command)).toEqual({ kind: "too_long" })
  expect(worker.isAlive).toBe(false)
})

test("a shell that is killed is told, and the next git has another", async () => {
  using repo = new TestRepo()
  const args = ["-c", "alias.die=!kill -9 $(ps -o ppid= -p $PPID)", "die"]
  const stdin = Buffer.alloc(0)
  const env = baseEnvironment(process.env)
  const command = { cwd: repo.path, args, env, stdin, outputBytesMax: 1000 }
  expect(await runPooled(command)).toEqual({ kind: "ended" })
  expect((await git(repo.path, ["rev-parse", "main"])).stdout.trim()).toBe(repo.tip("main"))
})

test("the answer of a git that does not read its input arrives", async () => {
  using repo = new TestRepo()
  const args = ["-c", "alias.deaf=!exec <&-; echo deaf >&2; echo said", "deaf"]
  const { stdout, stderr } = await git(repo.path, args, { stdin: "x".repeat(8000) })
  expect([stdout, stderr]).toEqual(["said\n", "deaf\n"])
})

test("many at once do not mix what they say", async () => {
  using repo = new TestRepo()
  const numbers = Array.from({ length: 40 }, (_, n) => String(n))
  const said = await Promise.all(
    numbers.map(async (n) => (await git(repo.path, ["rev-parse", "--sq-quote", n])).stdout.trim()),
  )
  expect(said).toEqual(numbers.map((n) => `'${n}'`))
})
