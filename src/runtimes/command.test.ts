import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Command } from "../process/run.ts"
import { commandRuntime } from "./command.ts"
import { type Overrides, runtimeContract, TestSession } from "./contract.ts"
import type { SessionStart } from "./runtime.ts"

const path = process.env["PATH"]!
const env = { PATH: path }

// The agent is a shell that runs its prompt.
runtimeContract("command", async () => ({
  runtime: commandRuntime(["sh"], path),
  env,
  say: (text) => `echo ${text}`,
  run: (code) => code,
  [Symbol.asyncDispose]: async () => {},
}))

async function run(
  session: TestSession,
  command: Command,
  overrides: Overrides & { prompt?: string } = {},
) {
  const start = session.start({ prompt: "do it", env, ...overrides })
  return await commandRuntime(command, path).run(start)
}

test("the prompt arrives byte for byte on stdin and in COPPICE_PROMPT, with the turn's number", async () => {
  await using session = new TestSession()
  const prompt = 'Grüße,\n"quoted" $HOME `x` \\\r\n\ttab, no newline at the end'
  const endTurn: SessionStart["endTurn"] = async ({ n }) =>
    n === 4 ? { n: 5, prompt: "next", repeated: false, phase: "working" } : undefined
  const command = 'cat > in.$COPPICE_TURN; printf %s "$COPPICE_PROMPT" > env.$COPPICE_TURN'
  await run(session, command, {
    turn: { n: 4, prompt, repeated: true, phase: "working" },
    endTurn,
  })
  const read = (name: string) => readFileSync(join(session.cwd, name), "utf8")
  expect([read("in.4"), read("env.4")]).toEqual([prompt, prompt])
  expect([read("in.5"), read("env.5")]).toEqual(["next", "next"])
})

test.each([128 * 1024 - 16, 128 * 1024 - 15])(
  "a prompt of %i bytes is whole on stdin",
  async (size) => {
    await using session = new TestSession()
    const command = 'wc -c; printf %s "$COPPICE_PROMPT" | wc -c; echo "${COPPICE_PROMPT+set}"'
    expect(await run(session, command, { prompt: "x".repeat(size) })).toEqual({ kind: "ended" })
    const fits = size + 16 <= 128 * 1024
    expect(session.texts("output")).toEqual([`${size}`, fits ? `${size}` : "0", fits ? "set" : ""])
    expect(session.texts("notice")).toHaveLength(fits ? 0 : 1)
  },
)

test("a program that does not read a large prompt does no harm", async () => {
  await using session = new TestSession()
  expect(await run(session, "true", { prompt: "x".repeat(5_000_000) })).toEqual({ kind: "ended" })
})

test("output is reported line by line, from both streams; the last line is the message", async () => {
  await using session = new TestSession()
  await run(session, "echo one; echo two >&2; printf 'three\\r\\n\\n  four  '")
  const output = session.texts("output")
  expect(output.toSorted()).toEqual(["", "  four  ", "one", "three", "two"].toSorted())
  expect(session.ends[0]?.message).toBe("four")
})

test("a silent program has no message", async () => {
  await using session = new TestSession()
  await run(session, "true")
  expect(session.ends).toMatchObject([{ message: null }])
})

test("an endless line is split", async () => {
  await using session = new TestSession()
  await run(session, ["head", "-c", "10001", "/dev/zero"])
  expect(session.texts("output").map((text) => text.length)).toEqual([4000, 4000, 2001])
})

test("exit 75 asks for a decision with the last line", async () => {
  await using session = new TestSession()
  expect(await run(session, "echo thinking; echo 'Red or blue?'; echo; exit 75")).toEqual({
    kind: "stuck",
    code: "needs_decision",
    text: "Red or blue?",
  })
  expect(session.ends).toEqual([])
})

test("any other exit code is a failure that quotes the last lines", async () => {
  await using session = new TestSession()
  expect(await run(session, "echo one; echo two; exit 3")).toEqual({
    kind: "stuck",
    code: "failed",
    text: "the command exited with 3:\none\ntwo",
  })
})

test("a missing program is a failure, and `unavailable` says so in advance", async () => {
  await using session = new TestSession()
  const message = "there is no program no-such-agent"
  expect(await commandRuntime(["no-such-agent"], path).unavailable()).toMatchObject({ message })
  expect(await run(session, ["no-such-agent"])).toEqual({
    kind: "stuck",
    code: "failed",
    text: message,
  })
})
