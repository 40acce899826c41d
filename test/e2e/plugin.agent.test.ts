/** The plugin for Claude Code, judged and started by the real program. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const CLAUDE_MS_MAX = 120_000

test("Claude Code accepts the plugin, installs it from the package, and reaches the server [37.8]", async () => {
  await using fleet = new Fleet()
  const bin = join(fleet.home.path, "bin")
  mkdirSync(bin)
  symlinkSync(LAUNCHER, join(bin, "coppice"))
  const { COPPICE_CLAUDE: program = "", PATH, ...rest } = fleet.env
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
  const env = { ...rest, ...quiet, PATH: [bin, PATH].join(delimiter) }
  const options = { cwd: fleet.repo.path, env, encoding: "utf8", timeout: CLAUDE_MS_MAX } as const
  const claude = (...args: string[]) => execFileSync(program, args, options)

  claude("plugin", "validate", "--strict", join(ROOT, "plugin"))
  claude("plugin", "validate", "--strict", ROOT)
  claude("plugin", "marketplace", "add", ROOT)
  claude("plugin", "install", "coppice@coppice")
  expect(claude("plugin", "details", "coppice")).toMatch(/land, run, undo, waits/)
  expect(claude("mcp", "list")).toMatch(/plugin:coppice:coppice: coppice mcp - .*Connected/)
})

test("the plugin has the version of the package [37.8]", () => {
  const versionOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")).version
  expect(versionOf("plugin/.claude-plugin/plugin.json")).toBe(versionOf("package.json"))
})
