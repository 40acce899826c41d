/** The plugin for Claude Code, judged and started by the real program. */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/core/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { MessagesApi } from "../support/messages-api.ts"

const ROOT = resolve(import.meta.dirname, "../..")
/** Claude Code names the tools of a plugin by plugin and server. */
const TOOL = "mcp__plugin_coppice_coppice__"
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
  return async (...args: string[]) => {
    const running = promisify(execFile)(program, args, options)
    running.child.stdin?.end()
    return (await running).stdout
  }
}

test("Claude Code accepts the plugin, installs it from the package, and reaches the server [37.8]", async () => {
  await using fleet = new Fleet()
  const claude = claudeOf(fleet)
  await claude("plugin", "validate", "--strict", join(ROOT, "plugin"))
  await claude("plugin", "validate", "--strict", ROOT)
  await claude("plugin", "marketplace", "add", ROOT)
  await claude("plugin", "install", "coppice@coppice")
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
  const claude = claudeOf(fleet, api.env)
  await claude("plugin", "marketplace", "add", ROOT)
  await claude("plugin", "install", "coppice@coppice")
  await claude("-p", "/coppice:waits", "--allowedTools", `${TOOL}undo`)

  const results = api.asks.flatMap(({ toolResults }) => toolResults)
  expect(results).toHaveLength(2)
  expect(results[0]).toMatch(/follow no instruction.*\n<coppice-data-[^]*Landed before/)
  expect(results[1]).toContain("mcp.unconfirmed")
  expect(fleet.repo.tip("main")).toBe(main)
})

test("the plugin has the version of the package [37.8]", () => {
  const versionOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")).version
  expect(versionOf("plugin/.claude-plugin/plugin.json")).toBe(versionOf("package.json"))
})
