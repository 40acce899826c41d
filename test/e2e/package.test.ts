/** The package as users get it: packed, installed elsewhere, and landing a task from there. */
import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const NPM_MS_MAX = 5 * 60_000
const CONFIG = `version: 1
agents:
  sh: { runtime: command, command: "echo hi > hi.txt" }
`

const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-package-")))
const prefix = join(folder, "installed")
const installed = join(prefix, "node_modules/coppice")

beforeAll(() => {
  const tarball = pack(clone())
  mkdirSync(prefix)
  writeFileSync(join(prefix, "package.json"), '{ "private": true }\n')
  npm(prefix, "install", "--prefer-offline", "--no-audit", "--no-fund", tarball)
}, NPM_MS_MAX)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("holds the program and its documents, and neither sources nor tests", () => {
  const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"]
  expect(new Set(readdirSync(installed))).toEqual(new Set([...documents, "bin", "dist"]))
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

/** The working copy as a clone would have it, with the packages that are installed already. */
function clone(): string {
  const copy = join(folder, "clone")
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const files = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" }).split("\0")
  for (const file of files) {
    if (file !== "" && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file))
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** @returns the tarball's path. */
function pack(copy: string): string {
  npm(copy, "pack", "--pack-destination", folder)
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  return join(folder, tarball!)
}

/** The user's npm and its configuration; what an npm that runs these tests exported is dropped. */
function npm(cwd: string, ...args: string[]): void {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = { ...Object.fromEntries(inherited), PATH }
  execFileSync("npm", args, { cwd, env, stdio: "pipe", timeout: NPM_MS_MAX })
}
