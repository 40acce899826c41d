import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { gateCommand } from "./gate-command.ts"
import { readProject } from "./project.ts"
import { setupCommand } from "./setup/setup-command.ts"

const script = (test: string) => JSON.stringify({ scripts: { test } })

/** The commands guessed for a folder with these files. */
async function guessed(files: Record<string, string>) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "project-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const project = await readProject(folder.path)
  return [setupCommand(project), gateCommand(project)]
}

test.each<[Record<string, string>, string | undefined, string | undefined]>([
  [{ "README.md": "" }, undefined, undefined],
  [{ "package.json": script("vitest"), "package-lock.json": "" }, "npm ci", "npm test"],
  [{ "package.json": script("vitest"), "npm-shrinkwrap.json": "" }, "npm ci", "npm test"],
  [
    { "package.json": script("vitest"), "pnpm-lock.yaml": "" },
    "pnpm install --frozen-lockfile",
    "pnpm test",
  ],
  [
    { "package.json": script("vitest"), "yarn.lock": "" },
    "yarn install --frozen-lockfile",
    "yarn test",
  ],
  [
    { "package.json": script("vitest"), "yarn.lock": "", ".yarnrc.yml": "" },
    "yarn install --immutable",
    "yarn test",
  ],
  [
    { "package.json": '{"packageManager":"yarn@4.1.0"}', "yarn.lock": "" },
    "yarn install --immutable",
    undefined,
  ],
  [
    { "package.json": script("x"), "bun.lock": "" },
    "bun install --frozen-lockfile",
    "bun run test",
  ],
  [
    { "pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": "" },
    "uv sync --frozen",
    "uv run pytest",
  ],
  [
    { "pyproject.toml": "", "poetry.lock": "", "tests/test_a.py": "" },
    "poetry install",
    "poetry run pytest",
  ],
  [{ "conftest.py": "" }, undefined, "pytest"],
  [{ "setup.cfg": "[tool:pytest]" }, undefined, "pytest"],
  [{ "pyproject.toml": "[project]" }, undefined, undefined],
  [{ "Cargo.toml": "", "Cargo.lock": "" }, undefined, "cargo test"],
  [{ "go.mod": "", "go.sum": "" }, undefined, "go test ./..."],
  [{ Makefile: "all:\n\ttrue\ntest: all\n\ttrue\n" }, undefined, "make test"],
  [{ Makefile: "test := 1\nlatest:\n" }, undefined, undefined],
])("%j is set up with %j and tested with %j", async (files, setup, gate) => {
  expect(await guessed(files)).toEqual([setup, gate])
})

test("the placeholder of npm init is no test, and a broken package.json has none", async () => {
  const placeholder = 'echo "Error: no test specified" && exit 1'
  expect(await guessed({ "package.json": script(placeholder) })).toEqual([undefined, undefined])
  expect(await guessed({ "package.json": "{" })).toEqual([undefined, undefined])
  expect(await guessed({ "package.json": "null" })).toEqual([undefined, undefined])
})

test("a folder that does not exist is an empty project", async () => {
  expect((await readProject("/nowhere/at/all")).files.size).toBe(0)
})
