import { tmpdir } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { ProcessOwner } from "./owner.ts"
import { readIdentity } from "./process-identity.ts"
import { type BoundedRun, runBounded } from "./run.ts"

const defaults = {
  cwd: tmpdir(),
  env: { PATH: process.env["PATH"]! },
  purpose: "gate",
  task: null,
  timeoutMs: 30_000,
  outputBytesMax: 1000,
} as const

async function run(command: BoundedRun["command"], options: Partial<BoundedRun> = {}) {
  await using owner = new ProcessOwner({ mark: `run-${process.pid}-${Math.random()}` })
  return await runBounded(owner, { ...defaults, command, ...options })
}

test("a string runs in the shell, a list directly", async () => {
  expect(await run("echo $((1 + 1)); exit 3")).toMatchObject({
    kind: "exited",
    code: 3,
    output: "2\n",
  })
  expect(await run(["printf", "%s", "$HOME"])).toMatchObject({ code: 0, output: "$HOME" })
})

test("a program that ends in time is not late because of what is cleaned up after it", async () => {
  const timeoutMs = 2_000
  await using owner = new ProcessOwner({
    mark: `run-${process.pid}-${Math.random()}`,
    contain: async (launch) => ({ ...launch, cleanUp: () => delay(timeoutMs) }),
  })
  const end = await runBounded(owner, { ...defaults, timeoutMs, command: "true" })
  expect(end).toMatchObject({ kind: "exited", code: 0 })
})

test("stdin is closed by default", async () => {
  expect(await run("cat; echo end")).toMatchObject({ output: "end\n" })
  expect(await run("cat; echo end", { stdin: "given " })).toMatchObject({ output: "given end\n" })
  expect(await run("true", { stdin: "x".repeat(1_000_000) })).toMatchObject({ code: 0 })
})

test("the end of the output is kept, all of it is passed on", async () => {
  let seen = 0
  const onOutput = (chunk: Buffer) => {
    seen += chunk.length
  }
  const code = "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; echo last >&2"
  const { output } = await run(code, { onOutput })
  expect(output).toMatch(/^\[…\]/)
  expect(output).toContain("line 4999\n")
  expect(output).toContain("last\n")
  expect(output.length).toBeLessThan(1010)
  expect(seen).toBeGreaterThan(40_000)
})

test("at the time limit the whole tree is ended", async () => {
  const end = await run("sleep 1000 & echo $!; wait", { timeoutMs: 300 })
  expect(end.kind).toBe("timed_out")
  expect(readIdentity(Number(end.output))).toBeUndefined()
})

test("an abort ends the whole tree, before and during the run", async () => {
  expect(await run("echo ran", { signal: AbortSignal.abort() })).toMatchObject({
    kind: "aborted",
    output: "",
  })
  const controller = new AbortController()
  const onOutput = () => controller.abort()
  const end = await run("sleep 1000 & echo $!; wait", { signal: controller.signal, onOutput })
  expect(end.kind).toBe("aborted")
  expect(readIdentity(Number(end.output))).toBeUndefined()
})

test("background processes do not outlive success", async () => {
  const end = await run("(trap '' HUP; exec sleep 1000) & echo $!")
  expect(end).toMatchObject({ kind: "exited", code: 0 })
  expect(readIdentity(Number(end.output))).toBeUndefined()
})

test("a signal is reported as shells do", async () => {
  expect(await run("kill -9 $$")).toMatchObject({ kind: "exited", code: 137 })
})

test("a command that cannot be started is an answer", async () => {
  expect(await run(["no-such-program"])).toMatchObject({
    kind: "unstartable",
    message: "there is no program no-such-program",
  })
})
