import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { parseConfig } from "../../config/parse.ts"
import { checkProjects } from "../doctor/project-check.ts"
import { checkStore } from "../doctor/store-check.ts"
import { detect } from "./detect.ts"
import { findForInit, initHome } from "./init-home.ts"

const NPM = { "package.json": '{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"1"}}' }
const env = { PATH: "/usr/bin:/bin" }

test("the target's commit is what counts, not the checkout; a configured value wins", async () => {
  using repo = new TestRepo({ branch: "master" })
  repo.commit(NPM)
  repo.write({ "pnpm-lock.yaml": "" })
  const npm = { setup: "npm install --no-package-lock", gate: "npm test" }
  expect(await detect(repo.path, {}, env)).toMatchObject({ target: "master", ...npm })
  repo.git("switch", "--quiet", "--create", "other")
  repo.commit({ "go.mod": "" })
  expect(await detect(repo.path, {}, env)).toMatchObject({ target: "master", ...npm })
  const configured = { target: "other", gate: false as const, setup: "x" }
  expect(await detect(repo.path, configured, env)).toMatchObject({ setup: "x", gate: undefined })
})

test("init writes what it detected, quoted where YAML needs it, and names the schema [28.13]", async () => {
  using repo = new TestRepo()
  const pip = '[project]\nname = "a"\n[project.optional-dependencies]\ntest = []\n'
  repo.commit({ "pyproject.toml": pip, "conftest.py": "", ".gitignore": ".env*\n" })
  repo.write({ ".env": "A", ".env.local": "B", ".env.example": "C" })
  const home = { home: repo.path, repo: repo.path, configPath: null }
  const path = initHome(home, await findForInit(home, { ...process.env, ...env }))
  const text = readFileSync(path, "utf8")
  const [first = ""] = text.split("\n")
  const schema = /^# yaml-language-server: \$schema=(.*)$/.exec(first)?.[1] ?? ""
  expect(JSON.parse(readFileSync(join(repo.path, schema), "utf8"))).toHaveProperty("properties")
  const detected = {
    target: "main",
    setup: expect.stringMatching(/^python3 -m venv \.venv && .* -e '\.\[test\]' pytest$/),
    gate: ".venv/bin/python -m pytest",
    copy: [".env", ".env.local"],
  }
  expect(parseConfig(text, {}, "app")).toMatchObject({ kind: "ok", config: { repos: [detected] } })
  expect(repo.git("status", "--porcelain")).toBe("?? coppice.yml")
})

test("doctor names target, set-up, gate, their programs and the identity [28.14]", async () => {
  using repo = new TestRepo()
  repo.commit(NPM)
  const bin = join(repo.folder, "bin")
  mkdirSync(bin)
  const config = parseConfig("version: 1\nagents: { a: {} }", {}, "app")
  if (config.kind !== "ok") throw new Error("a valid configuration")
  const check = async () => {
    const checks = await checkProjects({ home: repo.path }, config.config, {
      ...process.env,
      PATH: `${bin}:/nowhere`,
    })
    return checks
  }
  const git = join(bin, "git")
  writeFileSync(git, `#!/bin/sh\nPATH=${process.env["PATH"]} exec git "$@"\n`)
  chmodSync(git, 0o755)
  expect(await check()).toMatchObject([
    { name: "target", text: "main of app (detected)" },
    { name: "setup", text: "npm install --no-package-lock (detected for app)" },
    { name: "gate", text: "npm test (detected for app)" },
    { name: "program", state: "failed", text: /^npm is not on the PATH/ },
    { name: "identity", text: "c <c@example.com>" },
  ])
  writeFileSync(join(bin, "npm"), "")
  chmodSync(join(bin, "npm"), 0o755)
  expect((await check())[3]).toMatchObject({ state: "ok", text: join(bin, "npm") })
})

test("a damaged database is a finding of doctor [28.14]", () => {
  using repo = new TestRepo()
  const state = () => checkStore(repo.folder).map(({ name, state }) => `${name} ${state}`)
  expect(state()).toEqual(["disk ok", "database ok"])
  writeFileSync(join(repo.folder, "coppice.db"), "this is no database at all")
  expect(state()).toEqual(["disk ok", "database failed"])
})
