import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { CODEX_FOLDER, TestCodex } from "../../../test/support/codex.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import {
  HELD,
  letGo,
  runtimeContract,
  TestSession,
  TICKETS,
} from "../../kernel/runtime/contract.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { addUsage } from "../../kernel/tasks/rules/usage.ts"

const start = TestCodex.start
const said = (text: string) => async () => await start(() => ({ text }))

if (CODEX_FOLDER === undefined)
  test("the codex runtime drives the real program", ({ skip }) =>
    skip("codex was not fetched: `npm run test:agents` fetches it and runs these tests"))

if (CODEX_FOLDER !== undefined)
  describe("with the real program", () => {
    runtimeContract("codex", () => TestCodex.startObeying())

    test("texts, tool calls and failed tools are reported, and usage while the turn runs [15.11]", async () => {
      await using codex = await start(({ outputs }) =>
        outputs.length === 0 ? { run: "touch a; false" } : { text: "That failed." },
      )
      await using session = new TestSession()
      expect(await codex.run(session)).toEqual({ kind: "ended" })
      expect(session.texts("tool")).toEqual([expect.stringContaining("touch a; false")])
      expect(session.texts("text")).toEqual(["That failed."])
      expect(session.texts("notice")).toContain("A tool failed: Exit code 1")
      expect(readdirSync(session.cwd)).toEqual(["a"])
      const used = session.spent.map(([, usage]) => usage).reduce(addUsage)
      expect(used).toMatchObject({
        turns: 0,
        inputTokens: 180,
        cacheReadTokens: 20,
        outputTokens: 40,
      })
      expect(session.ends[0]?.usage.turns).toBe(1)
    })

    test("a turn that runs gets a person's message after its tool, once [16.7]", async () => {
      await using codex = await start(({ outputs }) =>
        outputs.length === 0 ? { run: HELD } : { text: "done" },
      )
      await using session = new TestSession()
      const running = codex.run(session)
      await session.pidsIn("pids")
      session.messages.say("Mind the gap.")
      await expect.poll(() => session.messages.delivered).toEqual(["Mind the gap."])
      await letGo(session)
      expect(await running).toEqual({ kind: "ended" })
      expect(session.ends).toMatchObject([{ n: 1, message: "done" }])
      expect(codex.api.asks.at(-1)?.whole.split("Mind the gap.")).toHaveLength(2)
    })

    test("a message that waits when the turn begins reaches it, and is not said twice [16.7]", async () => {
      await using codex = await said("done")()
      await using session = new TestSession()
      session.messages.say("Mind the gap.")
      expect(await codex.run(session)).toEqual({ kind: "ended" })
      const said2 = codex.api.asks.at(-1)?.whole.split("Mind the gap.").length
      expect(said2).toBe(session.messages.delivered.length + 1)
    })

    test("a conversation begins as a copy of another one, which stays as it is [16.10]", async () => {
      await using codex = await said("noted")()
      await using first = new TestSession()
      await codex.run(first, { prompt: "The word is heron." })
      await using second = new TestSession()
      const forkOf = { id: first.sessionId, programId: first.programId }
      await codex.run(second, { prompt: "Which word?", forkOf })
      expect(codex.api.asks[1]?.whole).toContain("The word is heron.")
      expect(second.programId).not.toBe(first.programId)
      await codex.run(first, { prompt: "And now?", resume: true })
      expect(codex.api.asks[2]?.whole).not.toContain("Which word?")
      await using third = new TestSession()
      const gone = { id: first.sessionId, programId: "019a0000-0000-7000-8000-000000000000" }
      expect(await codex.run(third, { forkOf: gone })).toEqual({ kind: "ended" })
      expect(codex.api.asks[3]?.text).toBe("[brief] do it")
      expect(third.texts("notice")).toHaveLength(1)
    })

    test("servers of tools are the configured ones, and their values on no command line [31.12]", async () => {
      await using session = new TestSession()
      let line = ""
      await using codex = await start(() => {
        line = readFileSync(`/proc/${session.pids[0]}/cmdline`, "utf8")
        return { text: "ok" }
      })
      expect(await codex.run(session, { servers: [TICKETS] })).toEqual({ kind: "ended" })
      expect(codex.api.asks[0]?.whole).toContain("Says the key.")
      expect(line).toContain("app-server")
      expect(line).not.toContain("heron")
    })

    test("the system prompt is ours, and the repository configures nothing [9.9]", async () => {
      await using codex = await said("done")()
      await using session = new TestSession()
      using repo = new TestRepo()
      repo.git("worktree", "add", "--quiet", session.cwd, "-b", "task")
      mkdirSync(join(session.cwd, ".codex"))
      const server = `[mcp_servers.planted]\ncommand = "touch"\nargs = ["${session.cwd}/served"]\n`
      writeFileSync(join(session.cwd, ".codex/config.toml"), server)
      writeFileSync(join(session.cwd, "AGENTS.md"), "Say moo.")
      // The user trusts the repository in their own use of the program.
      const before = `${codex.api.codexConfig}\n[projects."${repo.path}"]\ntrust_level = "trusted"\n`
      writeFileSync(join(codex.home, ".codex/config.toml"), before)
      await codex.run(session, { systemPrompt: async () => "Branch: first." })
      expect(codex.api.asks[0]?.whole).toContain("Branch: first.")
      expect(codex.api.asks[0]?.whole).not.toContain("moo")
      expect(readdirSync(session.cwd)).not.toContain("served")
      expect(readFileSync(join(codex.home, ".codex/config.toml"), "utf8")).toBe(before)
    })

    test("a session is resumed in another folder after the first one is gone, with its usage", async () => {
      await using codex = await said("noted")()
      await using first = new TestSession()
      await codex.run(first, { prompt: "The word is heron." })
      rmSync(first.cwd, { recursive: true })
      await using second = new TestSession()
      second.programId = first.programId
      const turn = { n: 2, prompt: "Which word?", repeated: true, phase: "working" } as const
      expect(await codex.run(second, { turn, resume: true })).toEqual({ kind: "ended" })
      expect(codex.api.asks[1]?.whole).toContain("The word is heron.")
      expect(codex.api.asks[1]?.text).toMatch(/^You were interrupted[^]*Which word\?$/)
      expect(second.texts("notice")).toEqual([])
      const used = second.spent.map(([, usage]) => usage).reduce(addUsage)
      expect(used).toMatchObject({ inputTokens: 90, outputTokens: 20 })
    })

    test.each([null, "019a0000-0000-7000-8000-000000000000"])(
      "a session that the program does not know (%s) is started with a brief [16.4]",
      async (programId) => {
        await using codex = await said("hello")()
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
        await using codex = await said("never")()
        await using session = new TestSession()
        codex.api.failure = status
        const end = await codex.run(session)
        expect(end).toMatchObject({ ...how, text: expect.stringMatching(text) })
        expect(session.ends).toEqual([])
      },
    )

    test("the limit of answers is a budget", async () => {
      await using codex = await start(() => ({ run: "true" }))
      await using session = new TestSession()
      const end = await codex.run(session, { turnsMax: 2 })
      expect(end).toMatchObject({ kind: "stuck", code: "budget" })
    })

    test("a next prompt of any size goes to the same process", async () => {
      await using codex = await said("yes")()
      await using session = new TestSession()
      const prompt = `START${"ä".repeat(30_000)}END`
      const endTurn: SessionStart["endTurn"] = async ({ n }) =>
        n === 1 ? { n: 2, prompt, repeated: false, phase: "working" } : undefined
      expect(await codex.run(session, { endTurn })).toEqual({ kind: "ended" })
      expect([codex.api.asks[1]?.text, session.pids.length]).toEqual([prompt, 1])
    })
  })
