import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { CODEX_FOLDER, TestCodex } from "../../../test/support/codex.ts"
import { TestSession, TICKETS } from "../../kernel/runtime/contract.ts"
import type { Person, ToolUse } from "../../kernel/runtime/runtime.ts"
import { decide, type Permissions } from "../permissions/rules.ts"

/** Rules decide; a person denies all that they would be asked. */
function guarded(session: TestSession, rules: Partial<Permissions>) {
  const permissions = { default: "deny", allow: [], ask: [], deny: [], ...rules } as const
  const uses: ToolUse[] = []
  const permit: NonNullable<Person["permit"]> = async (use) => {
    uses.push(use)
    const decision = decide(permissions, use, session.cwd)
    return decision === "allow"
      ? { kind: "allowed" }
      : { kind: "denied", message: `By the word of ${decision}.` }
  }
  return { permit, uses }
}

/** Uses one tool after the other, then stops. */
const inTurn = (steps: readonly Parameters<typeof replyTo>[0][]) => {
  let n = 0
  return () => replyTo(steps[n++] ?? { text: "I stop." })
}
const replyTo = (
  step: { text: string } | { run: string } | { tool: string; namespace?: string; given: object },
) => step

const patch = (...lines: readonly string[]) =>
  `apply_patch <<'EOP'\n*** Begin Patch\n${lines.join("\n")}\n*** End Patch\nEOP`

/** A shell would read each of them differently without the right quotes. */
const SCRIPTS = [
  "ls",
  "echo 'a b' \"c d\" e\\ f",
  `echo "it's $HOME" 'a"b' $(id) \`id\``,
  "echo a && echo b; echo c | cat > out\necho d",
  "echo ünïcode \\\\ * ? ~ # ! ^ {a,b}",
  "printf '%s\\n' \"\\$x\" '\\'",
  "cat <<'E'\n$x \"y\" 'z'\nE",
]

if (CODEX_FOLDER === undefined)
  test("permissions decide what the real codex does", ({ skip }) =>
    skip("codex was not fetched: `npm run test:agents` fetches it and runs these tests"))

if (CODEX_FOLDER !== undefined)
  describe("with the real program", () => {
    test("rules decide each command, and the agent reads why one is denied [9.7]", async () => {
      const steps = [{ run: "touch allowed" }, { run: "touch b; rm x" }, { run: "mkdir c" }]
      await using codex = await TestCodex.start(inTurn(steps))
      await using session = new TestSession()
      const rules = { allow: ["Bash(touch *)"], ask: ["Bash(mkdir *)"], deny: ["Bash(rm *)"] }
      const { permit } = guarded(session, rules)
      expect(await codex.run(session, { permit })).toEqual({ kind: "ended" })
      expect(readdirSync(session.cwd)).toEqual(["allowed"])
      expect(codex.api.asks.at(-1)?.whole).toContain("By the word of deny.")
      expect(codex.api.asks.at(-1)?.whole).toContain("By the word of ask.")
      expect(codex.api.asks[1]?.whole).not.toContain("By the word of")
    })

    test("a rule sees the script of a command as the agent wrote it, and where it would run [9.7]", async () => {
      const elsewhere = { tool: "exec_command", given: { cmd: "ls", workdir: "/" } }
      await using session = new TestSession()
      // A program of the agent, which it calls a shell.
      const shell = join(session.cwd, "bash")
      writeFileSync(shell, "#!/bin/sh\ntouch ran\n", { mode: 0o755 })
      const posing = { tool: "exec_command", given: { cmd: "ls", shell } }
      const steps = [...SCRIPTS.map((run) => ({ run })), elsewhere, posing]
      await using codex = await TestCodex.start(inTurn(steps))
      const { permit, uses } = guarded(session, { allow: ["Bash(ls)"] })
      await codex.run(session, { permit })
      expect(uses.slice(0, -2).map(({ input }) => input)).toEqual(
        SCRIPTS.map((command) => ({ command })),
      )
      expect(uses.at(-2)?.input).toEqual({ command: "ls", cwd: "/" })
      expect(uses.at(-1)?.input).toEqual({ command: "ls" })
      expect(readdirSync(session.cwd)).toEqual(["bash"])
    })

    test("changes of files are judged by their paths, one by one [9.7]", async () => {
      const steps = [
        { run: patch("*** Add File: a.txt", "+one") },
        {
          run: patch("*** Update File: a.txt", "*** Move to: secret/b.txt", "@@", "-one", "+two"),
        },
        { run: patch("*** Add File: c.txt", "+c", "*** Delete File: a.txt") },
      ]
      await using codex = await TestCodex.start(inTurn(steps))
      await using session = new TestSession()
      const rules = { allow: ["Write", "Edit(a.txt)"], deny: ["Write(secret/*)"] }
      const { permit, uses } = guarded(session, rules)
      await codex.run(session, { permit })
      expect(readFileSync(join(session.cwd, "c.txt"), "utf8")).toBe("c\n")
      expect(readdirSync(session.cwd)).toEqual(["c.txt"])
      const seen = uses.map(({ tool, input }) => [
        tool,
        String(input["file_path"]).slice(session.cwd.length + 1),
      ])
      expect(seen).toEqual([
        ["Write", "a.txt"],
        ["Edit", "a.txt"],
        ["Write", "secret/b.txt"],
        ["Edit", "a.txt"],
        ["Write", "c.txt"],
      ])
      expect(uses[1]?.input["diff"]).toContain("+two")
    })

    test("tools of servers are judged, also those that the user's own settings approve [9.7]", async () => {
      const who = (namespace: string) => ({ tool: "who", namespace, given: { a: 1 } })
      const next = inTurn([who("mcp__tickets"), who("mcp__mine")])
      const areReady = (whole: string) => /mcp__tickets/.test(whole) && /mcp__mine/.test(whole)
      await using codex = await TestCodex.start(({ whole }) =>
        areReady(whole) ? next() : { tool: "get_goal", given: {} },
      )
      await using session = new TestSession()
      const file = join(codex.home, ".codex/config.toml")
      const [program, ...args] = TICKETS.command
      writeFileSync(
        file,
        `${readFileSync(file, "utf8")}[mcp_servers.mine]\ncommand = "${program}"\nargs = ${JSON.stringify(args)}\ndefault_tools_approval_mode = "approve"\nenv = { KEY = "crane" }\n`,
      )
      const { permit, uses } = guarded(session, { allow: ["mcp__tickets__*"] })
      await codex.run(session, { permit, servers: [TICKETS] })
      expect(uses).toEqual([
        { tool: "mcp__tickets__who", input: { a: 1 } },
        { tool: "mcp__mine__who", input: { a: 1 } },
      ])
      expect(codex.api.asks.at(-1)?.whole).toContain("the key is heron")
      expect(codex.api.asks.at(-1)?.whole).not.toContain("the key is crane")
    })

    test("no tool works unasked: no reading of images, no search, no typing into a program [9.7]", async () => {
      const tty = { tool: "exec_command", given: { cmd: "sh", tty: true, yield_time_ms: 500 } }
      const steps = [{ tool: "view_image", given: { path: "/etc/passwd" } }, tty]
      await using codex = await TestCodex.start(inTurn(steps))
      await using session = new TestSession()
      const { permit, uses } = guarded(session, { default: "allow" })
      expect(await codex.run(session, { permit })).toEqual({ kind: "ended" })
      expect(uses).toEqual([])
      expect(codex.api.asks[1]?.whole).toContain("unsupported call: view_image")
      expect(codex.api.asks[2]?.whole).toContain("TTY execution is disabled")
      expect(codex.api.asks[0]?.whole).not.toContain('"web_search"')
    })

    test("a helper that the agent starts is judged too [9.7]", async () => {
      const spawn = { tool: "spawn_agent", namespace: "multi_agent_v1", given: { message: "HELP" } }
      await using codex = await TestCodex.start(({ text, whole, outputs }) => {
        if (/By the word|subagent_notification/.test(text)) return { text: "no" }
        if (text.includes("HELP")) return { run: "touch helped" }
        if (outputs.length === 0) return spawn
        const wait = { namespace: "multi_agent_v1", given: { targets: [agentIn(whole)] } }
        return outputs.length === 1 ? { tool: "wait_agent", ...wait } : { text: "done" }
      })
      await using session = new TestSession()
      const { permit, uses } = guarded(session, {})
      await codex.run(session, { permit })
      expect(uses).toEqual([{ tool: "Bash", input: { command: "touch helped" } }])
      expect(existsSync(join(session.cwd, "helped"))).toBe(false)
    })

    test("rules of Codex that let commands pass are refused before it works [9.7]", async () => {
      await using codex = await TestCodex.start(inTurn([{ run: "touch x" }]))
      await using session = new TestSession()
      const rules = join(codex.home, ".codex/rules")
      mkdirSync(rules)
      writeFileSync(join(rules, "default.rules"), 'prefix_rule(pattern=["touch"])\n')
      const { permit } = guarded(session, { default: "ask" })
      const end = await codex.run(session, { permit })
      expect(end).toMatchObject({ kind: "stuck", text: expect.stringContaining("default.rules") })
      expect(codex.api.asks).toEqual([])
      expect(await codex.run(session)).toEqual({ kind: "ended" })
    })
  })

const agentIn = (whole: string) => /agent_id[\\": ]+([0-9a-f-]{36})/.exec(whole)?.[1]
