import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Command } from "../../kernel/process/run.ts"
import { type Overrides, runtimeContract, TestSession } from "../../kernel/runtime/contract.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { commandRuntime } from "./runtime.ts"

const path = process.env["PATH"]!
const env = { PATH: path }

// The agent is a shell that runs its prompt.
runtimeContract("command", async () => ({
  runtime: commandRuntime({ command: ["sh"], path }),
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
  return await commandRuntime({ command, path }).run(start)
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

/** Prints each argument in brackets; the file of one that is a path; and its input. */
const SHOW = [
  "sh",
  "-c",
  'for one; do echo "[$one]"; done; [ -f "$2" ] && cat "$2"; echo "<$(cat)>"',
  "_",
]
const HOSTILE = ["$(touch hacked)`touch hacked`; touch hacked", "a \"b\" 'c' {session} {turn}"]

test.each(HOSTILE)(
  "the prompt %j is one argument, whatever it holds [30.10, 30.11]",
  async (prompt) => {
    await using session = new TestSession()
    const command = [...SHOW, "{prompt}", "{promptFile}", "--say={prompt}", "{turn}:{session}"]
    expect(await run(session, command, { prompt })).toEqual({ kind: "ended" })
    const file = join(session.scratch, "prompt.txt")
    const shown = [prompt, file, `--say=${prompt}`, `1:${session.sessionId}`].map(
      (one) => `[${one}]`,
    )
    expect(session.texts("output").join("\n")).toBe([...shown, `${prompt}<>`].join("\n"))
    expect(readdirSync(session.cwd)).toEqual([])
  },
)

test("a prompt is never an option, and one that is too long for an argument says so", async () => {
  await using session = new TestSession()
  await run(session, [...SHOW, "{prompt}"], { prompt: "--yes" })
  expect(session.texts("output")[0]).toBe("[ --yes]")
  const end = await run(session, ["echo", "{prompt}"], { prompt: "x".repeat(128 * 1024) })
  const text = expect.stringContaining("{promptFile}")
  expect(end).toEqual({ kind: "stuck", code: "failed", text })
})

test("later turns of a conversation run the other command, also when it is resumed", async () => {
  await using session = new TestSession()
  const runtime = commandRuntime({
    command: ["echo", "first", "{prompt}"],
    resume: ["echo", "later", "{session}", "{prompt}"],
    path,
  })
  const endTurn: SessionStart["endTurn"] = async ({ n }) =>
    n === 1 ? { n: 2, prompt: "two", repeated: false, phase: "working" } : undefined
  await runtime.run(session.start({ prompt: "one", env, endTurn }))
  await runtime.run(session.start({ prompt: "three", env, resume: true }))
  const id = session.sessionId
  const later = [`later ${id} two`, `later ${id} three`]
  expect(session.texts("output")).toEqual(["first one", ...later])
})

test("a missing program is a failure, and `unavailable` says so in advance [50.2]", async () => {
  await using session = new TestSession()
  const message = "there is no program no-such-agent"
  expect(await commandRuntime({ command: ["no-such-agent"], path }).unavailable()).toMatchObject({
    message,
  })
  const at = (program: string) => commandRuntime({ command: [program], path }).unavailable()
  expect(await at("/no/such-agent")).toMatchObject({
    message: "there is no program /no/such-agent",
  })
  expect(await at("./in-the-worktree")).toBeUndefined()
  expect(await run(session, ["no-such-agent"])).toEqual({
    kind: "stuck",
    code: "failed",
    text: message,
  })
})
