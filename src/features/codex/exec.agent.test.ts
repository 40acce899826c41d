import { readdirSync, rmSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { CODEX_FOLDER, TestCodex } from "../../../test/support/codex.ts"
import type { ResponsesScript } from "../../../test/support/responses-api.ts"
import { runtimeContract, TestSession } from "../../kernel/runtime/contract.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { codexExecRuntime, codexRuntime } from "./runtime.ts"

const start = (script: ResponsesScript) => TestCodex.start(script, codexExecRuntime)
const said = (text: string) => start(() => ({ text }))

if (CODEX_FOLDER === undefined)
  test("the codex-exec runtime drives the real program", ({ skip }) =>
    skip("codex was not fetched: `npm run test:agents` fetches it and runs these tests"))

if (CODEX_FOLDER !== undefined)
  describe("with the real program", () => {
    runtimeContract("codex-exec", () => TestCodex.startObeying(codexExecRuntime))

    test("texts, tool calls and failed tools are reported, and the brief precedes the prompt", async () => {
      await using codex = await start(({ outputs }) =>
        outputs.length === 0 ? { run: "touch a; false" } : { text: "That failed." },
      )
      await using session = new TestSession()
      const systemPrompt = async () => "Branch: first."
      expect(await codex.run(session, { systemPrompt })).toEqual({ kind: "ended" })
      expect(session.texts("tool")).toEqual([expect.stringContaining("touch a; false")])
      expect(session.texts("text")).toEqual(["That failed."])
      expect(session.texts("notice")).toContain("A tool failed: Exit code 1")
      expect(readdirSync(session.cwd)).toEqual(["a"])
      expect(codex.api.asks[0]?.text).toBe("Branch: first.\n\ndo it")
      expect(session.ends).toMatchObject([{ message: "That failed.", usage: { turns: 1 } }])
    })

    test("a next turn of any size goes on with the conversation, in a process of its own", async () => {
      await using codex = await said("yes")
      await using session = new TestSession()
      const prompt = `START${"ä".repeat(100_000)}END`
      const endTurn: SessionStart["endTurn"] = async ({ n }) =>
        n === 1 ? { n: 2, prompt, repeated: false, phase: "working" } : undefined
      const end = await codex.run(session, { prompt: "The word is heron.", endTurn })
      expect([end.kind, codex.api.asks[1]?.text, session.pids.length]).toEqual(["ended", prompt, 2])
      expect(codex.api.asks[1]?.whole).toContain("The word is heron.")
    })

    test("the app server goes on with its conversation, and it with that one's, in any folder", async () => {
      await using codex = await said("noted")
      await using first = new TestSession()
      await codex.run(first, { prompt: "The word is heron." })
      rmSync(first.cwd, { recursive: true })
      await using second = new TestSession()
      second.programId = first.programId
      const server = codexRuntime({ env: { PATH: CODEX_FOLDER } })
      expect(server.holder(codex.env)).toBe(codex.runtime.holder(codex.env))
      await server.run(second.start({ prompt: "And eel.", env: codex.env, resume: true }))
      await using third = new TestSession()
      third.programId = first.programId
      await codex.run(third, { prompt: "Which words?", resume: true })
      expect(codex.api.asks[2]?.whole).toMatch(/The word is heron\.[^]*And eel\./)
      expect([...second.texts("notice"), ...third.texts("notice")]).toEqual([])
    })

    test.each([null, "019a0000-0000-7000-8000-000000000000"])(
      "a session that the program does not know (%s) is started with a brief [16.4]",
      async (programId) => {
        await using codex = await said("hello")
        await using session = new TestSession()
        session.programId = programId
        expect(await codex.run(session, { resume: true })).toEqual({ kind: "ended" })
        expect(session.texts("notice")).toHaveLength(1)
        expect(codex.api.asks[0]?.text).toBe("[brief] do it")
        expect(session.programId).not.toBe(programId)
      },
    )

    test.each([
      [401, { kind: "stuck", code: "api_refused" }, /codex login/],
      [503, { kind: "postponed", untilMs: null }, /does not answer/],
      [429, { kind: "postponed", untilMs: null }, /does not answer/],
    ])(
      "an API that answers %i for good ends the session, for a person or for later",
      async (status, how, text) => {
        await using codex = await said("never")
        await using session = new TestSession()
        codex.api.failure = status
        const end = await codex.run(session)
        expect(end).toMatchObject({ ...how, text: expect.stringMatching(text) })
        expect(session.ends).toEqual([])
      },
    )
  })
