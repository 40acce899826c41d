import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { TestClaude } from "../../../test/support/claude.ts"
import { type Failure, MessagesApi, type Script } from "../../../test/support/messages-api.ts"
import { bash } from "../../../test/support/messages-api-reply.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import {
  areGone,
  HELD,
  letGo,
  runtimeContract,
  TestSession,
  TICKETS,
} from "../../kernel/runtime/contract.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { addUsage } from "../../kernel/tasks/rules/usage.ts"
import { claudeCliRuntime, claudeRuntime } from "./runtime.ts"

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

/** Extends the session by these prompts, one at each end of a turn. */
function following(session: TestSession, prompts: readonly string[]): SessionStart["endTurn"] {
  return async (end) => {
    session.ends.push(end)
    const prompt = prompts[session.ends.length - 1]
    return prompt === undefined
      ? undefined
      : { n: end.n + 1, prompt, repeated: false, phase: "working" }
  }
}

describe.each(Object.entries({ claude: claudeRuntime, "claude-cli": claudeCliRuntime }))(
  "%s",
  (name, make) => {
    const start = async (script: Script) => new TestClaude(await MessagesApi.start(script), make)

    runtimeContract(name, async () => {
      const claude = await start(({ text, toolResults }) => {
        const [, verb, rest] = /\b(SAY|RUN) ([^\n<]+(?:<\/dev\/null[^\n<]*)?)/.exec(text) ?? []
        if (toolResults.length > 0) return { text: "ran it" }
        return verb === "RUN" ? { tools: [bash(rest!)] } : { text: rest ?? "what?" }
      })
      return Object.assign(claude, {
        say: (text: string) => `SAY ${text}`,
        run: (code: string) => `RUN ${code}`,
      })
    })

    test.each(["true", "false"])(
      "a turn that runs gets a person's message after its tool (%s), once [16.7]",
      async (last) => {
        await using claude = await start(({ step }) =>
          step === 0 ? { tools: [bash(`${HELD}; ${last}`)] } : { text: "done" },
        )
        await using session = new TestSession()
        const running = claude.run(session)
        await session.pidsIn("pids")
        session.messages.say("Mind the gap.")
        await letGo(session)
        expect(await running).toEqual({ kind: "ended" })
        expect(session.ends).toMatchObject([{ n: 1, message: "done" }])
        expect(session.messages.delivered).toEqual(["Mind the gap."])
        expect(claude.api.asks[1]?.conversation.split("Mind the gap.")).toHaveLength(2)
      },
    )

    test("a message at the end of a turn extends it; a long one is left to the next turn [16.7]", async () => {
      await using session = new TestSession()
      await using claude = await start(({ step }) => {
        if (step === 0) session.messages.say("Mind the gap.")
        if (step === 1) session.messages.say("ä".repeat(5_000))
        return { text: `answer ${step}` }
      })
      expect(await claude.run(session)).toEqual({ kind: "ended" })
      expect(session.ends).toMatchObject([{ n: 1, message: "answer 1" }])
      expect(session.messages.delivered).toEqual(["Mind the gap."])
      expect(claude.api.asks[1]?.conversation).toContain("Mind the gap.")
    })

    test("images go with the prompt of their turn, the first and a later one", async () => {
      await using claude = await start(() => ({ text: "Seen." }))
      await using session = new TestSession()
      const images = [{ path: join(claude.home, "a.png"), type: "image/png" }] as const
      writeFileSync(images[0].path, PNG)
      const about = { repeated: false, phase: "working", images } as const
      const endTurn: SessionStart["endTurn"] = async ({ n }) =>
        n === 1 ? { n: 2, prompt: "and this", ...about } : undefined
      const turn = { n: 1, prompt: "see this", ...about }
      expect(await claude.run(session, { turn, endTurn })).toEqual({ kind: "ended" })
      const last = claude.api.asks.at(-1)?.conversation ?? ""
      expect(last.split(PNG.toString("base64"))).toHaveLength(3)
      expect(last).toContain("and this")
    })

    test("a conversation begins as a copy of another one, which stays as it is [16.10]", async () => {
      await using claude = await start(({ step }) => ({ text: `answer ${step}` }))
      await using first = new TestSession()
      await claude.run(first, { prompt: "The word is heron." })
      await using second = new TestSession()
      const forkOf = { id: first.sessionId, programId: null }
      expect(await claude.run(second, { prompt: "Which word?", forkOf })).toEqual({ kind: "ended" })
      expect(claude.api.asks[1]?.conversation).toContain("The word is heron.")
      await claude.run(first, { prompt: "And now?", resume: true })
      expect(claude.api.asks[2]?.conversation).not.toContain("Which word?")
      await claude.run(second, { prompt: "Go on.", forkOf, resume: true })
      expect(claude.api.asks[3]?.conversation).toMatch(/heron[^]*Which word\?[^]*Go on\./)
      await using third = new TestSession()
      const gone = { id: third.sessionId, programId: null }
      expect(await claude.run(third, { forkOf: gone })).toEqual({ kind: "ended" })
      expect(claude.api.asks[4]?.conversation).toContain("[brief] do it")
      expect(third.texts("notice")).toHaveLength(1)
    })

    test("servers of tools are the configured ones, and their values on no command line [31.12]", async () => {
      await using session = new TestSession()
      const lines: string[] = []
      await using claude = await start(({ step }) => {
        lines.push(readFileSync(`/proc/${session.pids[0]}/cmdline`, "utf8"))
        return step === 0 ? { tools: [{ name: "mcp__tickets__who", input: {} }] } : { text: "ok" }
      })
      const docs = { name: "docs", kind: "http", headers: { Key: "heron" } } as const
      const servers = [TICKETS, { ...docs, url: `${claude.api.url}/heron` }]
      expect(await claude.run(session, { servers })).toEqual({ kind: "ended" })
      expect(claude.api.asks[1]?.toolResults).toEqual([expect.stringContaining("the key is heron")])
      expect(lines[0]).toContain("tickets")
      expect(lines.join()).not.toContain("heron")
    })

    test("texts, tool calls and failed tools are reported", async () => {
      await using claude = await start(({ step }) =>
        step === 0
          ? { text: "Let me see.", tools: [bash("touch a\nfalse")] }
          : { text: "That failed." },
      )
      await using session = new TestSession()
      expect(await claude.run(session)).toEqual({ kind: "ended" })
      expect(session.events).toEqual([
        { kind: "text", text: "Let me see." },
        { kind: "tool", text: "Bash: touch a false", call: expect.any(String) },
        { kind: "notice", text: "A tool failed: Exit code 1" },
        { kind: "text", text: "That failed." },
      ])
    })

    test("the system prompt is ours after the program's own, even after a change", async () => {
      await using claude = await start(() => undefined)
      await using session = new TestSession()
      await claude.run(session, {
        systemPrompt: async () => "Branch: first.",
        model: "claude-opus-4-5",
      })
      await claude.run(session, { systemPrompt: async () => "Branch: second.", resume: true })
      const [first, second] = claude.api.asks
      expect(first?.model).toBe("claude-opus-4-5")
      expect(first?.system).toMatch(/Claude[^$]*Branch: first\./)
      expect(second?.system).toContain("Branch: second.")
      expect(second?.system).not.toContain("Branch: first.")
    })

    test("the repository's own settings, hooks and servers are ignored [9.9]", async () => {
      await using claude = await start(({ step }) =>
        step === 0 ? { tools: [bash("touch tool")] } : { text: "done" },
      )
      await using session = new TestSession()
      const hook = [{ hooks: [{ type: "command", command: "touch hooked" }] }]
      const hooks = { SessionStart: hook, PreToolUse: hook, Stop: hook }
      const server = { command: "touch", args: [join(session.cwd, "served")] }
      const files = {
        ".claude/settings.json": JSON.stringify({ hooks, enableAllProjectMcpServers: true }),
        ".mcp.json": JSON.stringify({ mcpServers: { planted: server } }),
        "CLAUDE.md": "Say moo.",
      }
      mkdirSync(join(session.cwd, ".claude"))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(session.cwd, name), text)
      await claude.run(session)
      const made = readdirSync(session.cwd).toSorted()
      expect(made).toEqual([".claude", ".mcp.json", "CLAUDE.md", "tool"])
      expect(claude.api.asks[0]?.conversation).not.toContain("moo")
    })

    test.each([8_000, 8_001, 60_000])(
      "a next prompt of %i bytes arrives whole, in one process",
      async (size) => {
        await using claude = await start(({ step }) => ({ text: `answer ${step}` }))
        await using session = new TestSession()
        const prompt = `START${"ä".repeat((size - 8) / 2)}${size % 2 ? "x" : ""}END`
        const endTurn = following(session, [prompt, "and then"])
        expect(await claude.run(session, { endTurn })).toEqual({ kind: "ended" })

        expect(session.pids).toHaveLength(1)
        const answers = [[1, "answer 0"], [2, "answer 1"], [3, "answer 2"]] // biome-ignore format: pairs
        expect(session.ends.map(({ n, message }) => [n, message])).toEqual(answers)
        const [, second, third] = claude.api.asks
        expect(second?.texts.some((text) => text.includes(prompt))).toBe(true)
        expect(second?.text.includes("Stop hook additional context")).toBe(size <= 8_000)
        expect(third?.text).toContain("and then")
      },
    )

    test("more next turns than the program's own cap on refused stops, and none is lost", async () => {
      await using claude = await start(({ step }) => ({ text: `answer ${step}` }))
      await using session = new TestSession()
      const prompts = Array.from({ length: 12 }, (_, n) => `again ${n}.`)
      const endTurn = following(session, prompts)
      expect(await claude.run(session, { endTurn })).toEqual({ kind: "ended" })
      expect(session.ends.at(-1)).toMatchObject({ n: 13, message: "answer 12" })
      for (const prompt of prompts) expect(claude.api.asks.at(-1)?.conversation).toContain(prompt)
    })

    test("usage is counted by turn, also over a resume", async () => {
      await using claude = await start(({ step }) =>
        step === 0 ? { tools: [bash("true")] } : { text: "done" },
      )
      await using session = new TestSession()
      await claude.run(session, { endTurn: following(session, ["more"]) })
      await claude.run(session, { resume: true })
      const told = [...session.ends.map(({ n, usage }) => [n, usage] as const), ...session.spent]
      const [first, second] = [1, 2].map((turn) =>
        told.flatMap(([n, usage]) => (n === turn ? [usage] : [])).reduce(addUsage),
      )
      // Both sessions call their first turn 1.
      expect(first).toMatchObject({ turns: 2, inputTokens: 300, outputTokens: 60 })
      expect(second).toMatchObject({ turns: 1, inputTokens: 100, outputTokens: 20 })
      expect(second?.costUsd).toBeGreaterThan(0)
    })

    test("a turn's usage is reported while it runs, so that it is known if the turn is killed [15.11]", async () => {
      await using claude = await start(() => ({ tools: [bash("tail -f /dev/null")] }))
      await using session = new TestSession()
      const controller = new AbortController()
      const running = claude.run(session, { signal: controller.signal })
      await waitFor("usage", () => session.spent.some(([, { outputTokens }]) => outputTokens > 0))
      controller.abort()
      expect(await running).toEqual({ kind: "aborted" })
      const used = session.spent.map(([, usage]) => usage).reduce(addUsage)
      expect(used).toMatchObject({ turns: 0, inputTokens: 100, outputTokens: 20 })
      expect([used.costUsd, session.spent[0]?.[0]]).toEqual([expect.any(Number), 1])
    })

    test("a process that dies while the end of its turn is being recorded has ended well", async () => {
      await using claude = await start(() => ({ text: "done" }))
      await using session = new TestSession()
      const endTurn: SessionStart["endTurn"] = async (end) => {
        process.kill(session.pids[0]!, "SIGKILL")
        await waitFor("the process to be gone", () => areGone(session.pids))
        session.ends.push(end)
        return undefined
      }
      expect(await claude.run(session, { endTurn })).toEqual({ kind: "ended" })
      expect(session.ends).toHaveLength(1)
    })

    test("S19: a session is resumed in another folder after the first one is gone", async () => {
      await using claude = await start(() => ({ text: "noted" }))
      await using first = new TestSession()
      await claude.run(first, { prompt: "The word is heron." })
      rmSync(first.cwd, { recursive: true })

      await using second = new TestSession()
      await claude.run(second, { prompt: "Which word?", id: first.sessionId, resume: true })
      expect(claude.api.asks[1]?.conversation).toContain("The word is heron.")
      expect(second.texts("notice")).toEqual([])
    })

    test("an interrupted turn that is resumed says so", async () => {
      await using claude = await start(() => ({ text: "ok" }))
      await using session = new TestSession()
      const turn = { n: 1, prompt: "Build the nest.", repeated: true, phase: "working" } as const
      await claude.run(session, { turn })
      await claude.run(session, { turn, resume: true })
      const texts = claude.api.asks.map((ask) => ask.texts.find((text) => text.includes("nest")))
      expect(texts[0]).toBe("Build the nest.")
      expect(texts[1]).toMatch(/^You were interrupted .*\n\nBuild the nest\.$/)
    })

    test("S20: a session that the program does not know is started once, under its id, with a brief [16.4]", async () => {
      await using claude = await start(() => ({ text: "hello" }))
      await using session = new TestSession()
      expect(await claude.run(session, { resume: true })).toEqual({ kind: "ended" })
      expect(session.texts("notice")).toHaveLength(1)
      await claude.run(session, { resume: true, prompt: "again" })
      expect(session.texts("notice")).toHaveLength(1)
      expect(claude.api.asks.map(({ texts }) => texts.at(-1))).toEqual(["[brief] do it", "again"])
    })

    test.each<[Failure["kind"], object, RegExp]>([
      ["unauthorized", { kind: "stuck", code: "api_refused" }, /ANTHROPIC_API_KEY/],
      ["overloaded", { kind: "postponed", untilMs: null }, /529/],
      ["rate_limited", { kind: "postponed", untilMs: null }, /does not answer/],
      ["dropped", { kind: "postponed", untilMs: null }, /does not answer/],
    ])(
      "an API that is %s for good ends the session, for a person or for later",
      async (kind, how, text) => {
        await using claude = await start(() => undefined)
        await using session = new TestSession()
        claude.api.failure = { kind }
        const end = await claude.run(session)
        expect(end).toMatchObject({ ...how, text: expect.stringMatching(text) })
        expect(session.texts("notice")[0]).toMatch(/^The model API failed: .* trying again/)
        if (kind === "unauthorized") expect(claude.api.refused).toBe(1)
        expect(session.ends).toEqual([])
      },
    )

    test("an API that recovers is a notice", async () => {
      await using claude = await start(() => ({ text: "done" }))
      await using session = new TestSession()
      claude.api.failure = { kind: "overloaded", times: 1 }
      expect(await claude.run(session)).toEqual({ kind: "ended" })
      expect(session.texts("notice")).toHaveLength(1)
    })

    test("the limit of turns is a budget", async () => {
      await using claude = await start(() => ({ tools: [bash("true")] }))
      await using session = new TestSession()
      const end = await claude.run(session, { turnsMax: 2 })
      expect(end).toMatchObject({ kind: "stuck", code: "budget" })
      const used = session.spent.map(([, usage]) => usage).reduce(addUsage)
      expect(used).toMatchObject({ turns: 0, outputTokens: 40 })
    })

    test("a question without an answer in time ends the turn", async () => {
      const options = ["Red", "Blue"].map((label) => ({ label, description: label }))
      const question = { question: "Which?", header: "Colour", multiSelect: false, options }
      await using claude = await start(({ step }) =>
        step === 0
          ? { tools: [{ name: "AskUserQuestion", input: { questions: [question] } }] }
          : { text: "Red or blue?" },
      )
      await using session = new TestSession()
      expect(await claude.run(session)).toEqual({ kind: "ended" })
      expect(claude.api.asks[1]?.toolResults[0]).toContain("There is no answer yet")
      expect(session.ends).toMatchObject([{ message: "Red or blue?" }])
    })

    const background = (command: string) => ({
      name: "Bash",
      input: { command, description: "In the background", run_in_background: true },
    })

    test("S22: a turn goes on until its background tasks are done", async () => {
      await using claude = await start(({ step }) =>
        step === 0
          ? { tools: [background("until [ -e go ]; do sleep 0.02; done")] }
          : step === 1
            ? { text: "It builds.", tools: [bash("touch stopped")] }
            : step === 2
              ? { text: "I wait." }
              : { text: "It is built." },
      )
      await using session = new TestSession()
      const event: SessionStart["report"]["event"] = (event) => {
        session.events.push(event)
        if (event.text === "I wait.") writeFileSync(join(session.cwd, "go"), "")
      }
      const report = { event, writes: () => {}, usage: () => {}, limit: () => {} }
      expect(await claude.run(session, { report })).toEqual({ kind: "ended" })
      expect(session.ends).toMatchObject([{ n: 1, message: "It is built." }])
    })

    test("S22: a turn does not wait for ever for background tasks", async () => {
      await using claude = await start(({ step }) =>
        step === 0 ? { tools: [background("tail -f /dev/null")] } : { text: `answer ${step}` },
      )
      await using session = new TestSession()
      const endTurn = following(session, ["go on"])
      expect(await claude.run(session, { endTurn })).toEqual({ kind: "ended" })
      expect(session.ends.map(({ message }) => message)).toEqual(["answer 1", "answer 2"])
    })
  },
)
