/** A program that serves JSON-RPC, and does not do it. */
import { expect, test } from "vitest"
import { areGone, TestSession } from "../../kernel/runtime/contract.ts"
import { ServedProgram } from "./served-program.ts"

/** The end of a session with this shell script as the program. */
async function runWith(session: TestSession, script: string) {
  const start = session.start({ prompt: "hi", env: { PATH: "/usr/bin:/bin" } })
  const command = { name: "slow", program: "/bin/sh", args: ["-c", script], handshakeMsMax: 300 }
  const server = new ServedProgram(start, command)
  const end = await server.run({
    notified: () => {},
    asked: async () => ({}),
    converse: async (rpc) => {
      await server.initialize(rpc, {})
      server.finish({ kind: "ended" })
    },
  })
  expect(areGone(session.pids)).toBe(true)
  return end
}

test("a program that never answers `initialize` ends with one sentence [30.19]", async () => {
  await using session = new TestSession()
  expect(await runWith(session, "sleep 1000")).toEqual({
    kind: "stuck",
    code: "failed",
    text: "slow did not answer `initialize` within 0.3 s",
  })
})

test("the first line that is no JSON is quoted [30.19]", async () => {
  await using session = new TestSession()
  const greets = "printf 'Usage: \\033[1mslow\\nsecond\\n'"
  const said = "; it said what is not its protocol (JSON-RPC): Usage: "
  expect(await runWith(session, `${greets}; sleep 1000`)).toMatchObject({
    code: "failed",
    text: expect.stringContaining(`within 0.3 s${said}`),
  })
  expect(await runWith(session, `${greets}; exit 3`)).toMatchObject({
    code: "died",
    text: expect.stringContaining(`slow exited (code 3)${said}`),
  })
})

test("a line before the answer does no harm", async () => {
  await using session = new TestSession()
  const answer = '{"jsonrpc":"2.0","id":1,"result":{}}'
  expect(await runWith(session, `echo Loading; echo '${answer}'; sleep 1000`)).toEqual({
    kind: "ended",
  })
})
