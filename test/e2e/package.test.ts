/** The package as users get it: packed, installed elsewhere, and landing a task from there. */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { coppice, ScratchHome } from "../support/home.ts"
import { installPackage, NPM_MS_MAX } from "../support/packed.ts"
import { TestRepo } from "../support/repo.ts"

const CONFIG = `version: 1
agents:
  sh: { runtime: command, command: "echo hi > hi.txt" }
`

const PLUGIN = [".claude-plugin", "plugin"]

const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-package-")))
const prefix = join(folder, "installed")
const installed = join(prefix, "node_modules/coppice")

beforeAll(() => {
  installPackage(folder)
}, NPM_MS_MAX)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("holds the program and its documents, and neither sources nor tests", () => {
  const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"]
  expect(new Set(readdirSync(installed))).toEqual(new Set([...documents, ...PLUGIN, "bin", "dist"]))
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" })
  expect(files.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
  expect(files).toContain("dist/store/migrations/0001.sql")
})

test("installs without the Claude SDK, which is the user's choice", () => {
  expect(existsSync(join(prefix, "node_modules/@anthropic-ai"))).toBe(false)
})

test("lands what a command did", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })

  const options = { env: home.env(), bin: join(prefix, "node_modules/.bin/coppice") }
  const run = await coppice(repo.path, ["run", "say hi", "--agent", "sh", "--json"], options)

  expect(run).toMatchObject({ code: 0 })
  expect(JSON.parse(run.stdout)).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:hi.txt")).toBe("hi")
})
