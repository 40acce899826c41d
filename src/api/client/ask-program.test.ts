import { expect, test } from "vitest"
import { askProgram } from "./ask-program.ts"

const ENV = { PATH: process.env["PATH"] }

const REFUSALS = [
  ["says why", "echo no >&2; exit 3", "no"],
  ["says nothing", "exit 3", "it ended with 3, and said nothing"],
  ["is killed", "kill -9 $$", "it was ended by SIGKILL"],
] as const

test.each(REFUSALS)("of a program that fails and %s there is a reason", async (_, run, refused) => {
  expect(await askProgram(["sh", "-c", run], ENV)).toEqual({ refused, isSilent: false })
})

test("a program that gives no answer is ended, and that is the reason", async () => {
  const refused = "it gave no answer within 0.02 s"
  expect(await askProgram(["sleep", "60"], ENV, 20)).toEqual({ refused, isSilent: true })
})

test("a program that is ended in time, and calls that a success, gave no answer", async () => {
  const refused = "it gave no answer within 0.2 s"
  const waits = ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.01; done"]
  expect(await askProgram(waits, ENV, 200)).toEqual({ refused, isSilent: true })
})

test("a missing program is reported as missing", async () => {
  const refused = "it cannot be started (ENOENT)"
  expect(await askProgram(["no-such-program"], ENV)).toEqual({ refused, isSilent: false })
})
