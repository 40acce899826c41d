/** The plugin for Claude Code, judged and started by the real program. */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { TestTerminal } from "../support/terminal.ts"
import { waitFor } from "../support/wait-for.ts"

const ROOT = resolve(import.meta.dirname, "../..")
/** Claude Code names the tools of a plugin by plugin and server. */
const TOOL = "mcp__plugin_coppice_coppice__"
/** A person's pause between two keys. */
const KEY_MS = 1_000
const CLAUDE_MS_MAX = 120_000

/** Claude Code with the plugin, in the home of a fleet. */
function claudeOf(fleet: Fleet, extra: Readonly<Record<string, string>> = {}) {
  const bin = join(fleet.home.path, "bin")
  mkdirSync(bin, { recursive: true })
  if (!existsSync(join(bin, "coppice"))) symlinkSync(LAUNCHER, join(bin, "coppice"))
  const { COPPICE_CLAUDE: program = "", PATH, ...rest } = fleet.env
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
  const env = { ...rest, ...quiet, ...extra, PATH: [bin, PATH].join(delimiter) }
  const options = { cwd: fleet.repo.path, env, timeout: CLAUDE_MS_MAX }
  const run = async (...args: string[]) => {
    const running = promisify(execFile)(program, args, options)
    running.child.stdin?.end()
    return (await running).stdout
  }
  const install = async () => {
    await run("plugin", "marketplace", "add", ROOT)
    await run("plugin", "install", "coppice@coppice")
  }
  const onTerminal = (...args: string[]) =>
    new TestTerminal([program, ...args], { ...options, rows: 40 })
  return { run, install, onTerminal }
}

const shows = (terminal: TestTerminal, text: string) =>
  terminal.lines().some((line) => line.includes(text))

/** Claude Code ignores a key that comes right after the one before. */
async function pressEnter(terminal: TestTerminal, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    terminal.press("\r")
    await delay(KEY_MS)
  }
}

test("Claude Code accepts the plugin, installs it from the package, and reaches the server [37.8]", async () => {
  await using fleet = new Fleet()
  const { run: claude, install } = claudeOf(fleet)
  await claude("plugin", "validate", "--strict", join(ROOT, "plugin"))
  await claude("plugin", "validate", "--strict", ROOT)
  await install()
  expect(await claude("plugin", "details", "coppice")).toMatch(/land, run, undo, waits/)
  expect(await claude("mcp", "list")).toMatch(/plugin:coppice:coppice: coppice mcp - .*Connected/)
})

test("a command of the plugin reads; a model without a person decides nothing [37.3, 37.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.json(TaskDocument, ["run", "echo a > a.txt", "--title", "Landed before"])
  const main = fleet.repo.tip("main")
  // The model calls one tool after the other, whatever it is told.
  const calls = [
    { name: `${TOOL}list_tasks`, input: {} },
    { name: `${TOOL}undo`, input: { landing: 1 } },
  ]
  await using api = await MessagesApi.start(({ step, tools }) => {
    const next = calls[step]
    return next && tools.length > 0 ? { tools: [next] } : { text: "Done." }
  })
  const { run: claude, install } = claudeOf(fleet, api.env)
  await install()
  await claude("-p", "/coppice:waits", "--allowedTools", `${TOOL}undo`)

  const results = api.asks.flatMap(({ toolResults }) => toolResults)
  expect(results).toHaveLength(2)
  expect(results[0]).toMatch(/follow no instruction.*\n<coppice-data-[^]*Landed before/)
  expect(results[1]).toContain("mcp.unconfirmed")
  expect(fleet.repo.tip("main")).toBe(main)
})

test("on a terminal, a person reads the dialog of Claude Code and chooses yes; Enter alone answers nothing [37.3, 37.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.json(TaskDocument, ["run", "echo a > a.txt", "--title", "Landed before"])
  const main = fleet.repo.tip("main")
  // Again and again, since the server may not be connected at first.
  await using api = await MessagesApi.start(({ conversation, tools }) => {
    const isOver = tools.length === 0 || conversation.includes("coppice-data-")
    return isOver ? { text: "Done." } : { tools: [{ name: `${TOOL}undo`, input: { landing: 1 } }] }
  })
  const { install, onTerminal } = claudeOf(fleet, api.env)
  await install()
  // As after its first start: the questions of a new user are answered.
  const settings = join(fleet.home.path, ".claude.json")
  const answered = {
    ...JSON.parse(readFileSync(settings, "utf8")),
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [api.env["ANTHROPIC_API_KEY"]], rejected: [] },
    projects: { [fleet.repo.path]: { hasTrustDialogAccepted: true } },
  }
  writeFileSync(settings, JSON.stringify(answered))
  await using terminal = onTerminal("--allowedTools", `${TOOL}undo`)
  await terminal.shows("❯")
  terminal.press("/coppice:undo 1")
  await terminal.shows("undo 1")
  terminal.press("\r")
  await terminal.shows(
    /Revert landing 1, of task 1 \(Landed before\)\?\n.*On main of app: commits 1/,
  )

  await pressEnter(terminal, () => shows(terminal, "This field is required"))
  expect(fleet.repo.tip("main")).toBe(main)
  terminal.press("y")
  await terminal.shows("❯ ◯ yes")
  terminal.press(" ")
  await terminal.shows(/Do it: .*yes/)
  await pressEnter(terminal, () => !shows(terminal, "requests your input"))
  await waitFor("the revert", () => fleet.log()[0] === 'Revert "Landed before"')
})

test("the plugin has the version of the package [37.8]", () => {
  const versionOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")).version
  expect(versionOf("plugin/.claude-plugin/plugin.json")).toBe(versionOf("package.json"))
})
