/**
 * A project of each ecosystem lands its first task with nothing configured: set-up and gate are
 * guessed, and run with the ecosystem's own programs. Where those are not on this machine, the test
 * is skipped under a name that says so; src/kernel/workspaces/project.test.ts still checks the guess.
 */
import { globSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { expect, test } from "vitest"
import { findProgram } from "../../src/kernel/process/find-program.ts"
import { Fleet } from "../support/fleet.ts"

type Project = {
  /** Tests in them fail unless the set-up ran. */
  readonly files: Readonly<Record<string, string>>
  readonly setup: string | null
  readonly gate: string | null
  readonly programs: readonly string[]
}

/** As a test's, and toolchains that are the user's own. */
const OWN = globSync(join(homedir(), ".rustup/toolchains/*/bin"))
const PATH = [dirname(process.execPath), "/usr/bin", "/bin", ...OWN].join(delimiter)
const packageJson = (more: object) =>
  JSON.stringify({ name: "app", version: "1.0.0", scripts: { test: "node test.js" }, ...more })

const PROJECTS: Readonly<Record<string, Project>> = {
  "npm without a lockfile": {
    files: {
      "package.json": packageJson({ dependencies: { word: "file:./word" } }),
      "word/package.json": '{"name":"word","version":"1.0.0"}',
      "word/index.js": "module.exports = 1",
      "test.js": "require('word')",
    },
    setup: "npm install --no-package-lock",
    gate: "npm test",
    programs: ["npm"],
  },
  "npm without dependencies": {
    files: { "package.json": packageJson({}), "test.js": "" },
    setup: null,
    gate: "npm test",
    programs: ["npm"],
  },
  pip: {
    files: { "requirements.txt": "" },
    setup: "python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt",
    gate: null,
    programs: ["python3"],
  },
  cargo: {
    files: {
      "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn adds() { assert_eq!(1 + 1, 2) }\n",
      ".gitignore": "target\n",
    },
    setup: "cargo fetch",
    gate: "cargo test",
    programs: ["cargo"],
  },
  go: {
    files: {
      "go.mod": "module example.com/app\n\ngo 1.18\n",
      "app_test.go": 'package app\n\nimport "testing"\n\nfunc TestApp(t *testing.T) {}\n',
    },
    setup: "go mod download",
    gate: "go test ./...",
    programs: ["go"],
  },
  bundler: {
    files: {
      Gemfile: 'gem "rake"\n',
      Rakefile: 'task(:test) { raise "no test" unless Dir.exist?("test") }\n',
      "test/app_test.rb": "",
    },
    setup: "bundle install",
    gate: "bundle exec rake test",
    programs: ["bundle", "rake"],
  },
  composer: {
    files: {
      "composer.json": '{"scripts":{"test":"php -r \\"require \'vendor/autoload.php\';\\""}}',
    },
    setup: "composer install --no-interaction",
    gate: "composer test",
    programs: ["composer", "php"],
  },
  mix: {
    files: {
      "mix.exs":
        'defmodule App.MixProject do\n  use Mix.Project\n  def project, do: [app: :app, version: "0.1.0"]\nend\n',
      "test/test_helper.exs": "ExUnit.start()\n",
      "test/app_test.exs":
        'defmodule AppTest do\n  use ExUnit.Case\n  test("x", do: assert(true))\nend\n',
      ".gitignore": "_build\n",
    },
    setup: "mix deps.get",
    gate: "mix test",
    programs: ["mix"],
  },
  make: {
    files: { Makefile: "test:\n\ttest -f Makefile\n" },
    setup: null,
    gate: "make test",
    programs: ["make"],
  },
}

for (const [name, { files, setup, gate, programs }] of Object.entries(PROJECTS)) {
  const missing = programs.filter((one) => !findProgram(one, { path: PATH, cwd: "/" }))
  const without = missing.length > 0 ? ` (skipped: ${missing.join(", ")} not on this machine)` : ""
  test.skipIf(without !== "")(
    `${name}: the first task lands, and alone${without} [28.8]`,
    async () => {
      await using fleet = new Fleet()
      fleet.extra["PATH"] = PATH
      fleet.repo.commit(files)
      const { task, taken } = await fleet.client.create({ prompt: "echo w > work.txt" })
      expect(taken.repos).toMatchObject([{ setup, gate }])
      expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
      expect(fleet.repo.git("show", "--name-status", "--format=", "main")).toBe("A\twork.txt")
      expect(fleet.repo.git("status", "--porcelain")).toBe("")
    },
  )
}

test("a guessed command whose program is missing is refused before anything runs [28.9]", async () => {
  await using fleet = new Fleet()
  fleet.repo.commit({ "pdm.lock": "", "conftest.py": "" })
  for (const args of [
    ["run", "true"],
    ["land", "feat"],
  ]) {
    if (args[0] === "land") fleet.repo.commit({ "a.txt": "a" }, "A1", fleet.repo.worktree("feat"))
    const { code, stderr } = await fleet.coppice(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(
      "The set-up of app, `pdm sync`, needs `pdm`, which is not on the PATH of Coppice.",
    )
    expect(stderr).toContain("Or set `repos.app.setup` and `repos.app.gate` in coppice.yml")
  }
  expect((await fleet.client.list()).tasks).toEqual([])
})

test("a project whose files say nothing leads to a note on what to write, before its task starts [28.10]", async () => {
  await using fleet = new Fleet()
  const { stdout, stderr } = await fleet.coppice("run", "true")
  const said = stdout + stderr
  expect(said).toMatch(/note +nothing is installed: .* `repos\.app\.setup` in coppice\.yml/)
  expect(said).toMatch(/note +nothing is tested: .* `repos\.app\.gate` in coppice\.yml/)
  expect(said.indexOf("note")).toBeLessThan(said.indexOf("working"))
})

test("a gate that misses its packages lands after the set-up is configured, by `coppice land` [28.12]", async () => {
  await using fleet = new Fleet({ repo: { gate: "packages/tool" } })
  const id = await fleet.start("echo w > work.txt")
  const waits = await fleet.until(id, ({ landing }) => landing?.outcome === "GATE_UNAVAILABLE")
  expect(waits.landing?.reason).toContain("the program `packages/tool` was not found")
  const install = "mkdir -p packages; echo exit 0 > packages/tool; chmod +x packages/tool"
  fleet.configure({ repo: { gate: "packages/tool", setup: install } })
  await fleet.coppice("land", id)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "--name-status", "--format=", "main")).toBe("A\twork.txt")
})
