import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { ECOSYSTEMS, guessCommands } from "./rules/ecosystems/ecosystems.ts"
import { readProject } from "./setup/setup-inputs.ts"

type Files = Readonly<Record<string, string>>
type Guessed = readonly [setup: string | undefined, gate: string | undefined]

const testedBy = (script: string, more: object = {}) =>
  JSON.stringify({ scripts: { test: script }, ...more })
const needing = { devDependencies: { vitest: "1" } }

async function read(files: Files) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "project-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  return await readProject(folder.path)
}

/** The commands guessed for a folder with these files. */
async function guessed(files: Files): Promise<Guessed> {
  const { setup, gate } = guessCommands(await read(files))
  return [setup, gate]
}

const VENV = "python3 -m venv .venv"
const PIP = ".venv/bin/python -m pip install"
const PYTEST = ".venv/bin/python -m pytest"

/** By row of the table: files, and what they say about set-up and tests. */
const ROWS: readonly (readonly [ecosystem: string, files: Files, ...Guessed])[] = [
  [
    "bun",
    { "package.json": testedBy("x"), "bun.lock": "" },
    "bun install --frozen-lockfile",
    "bun run test",
  ],
  [
    "pnpm",
    { "package.json": testedBy("vitest"), "pnpm-lock.yaml": "" },
    "pnpm install --frozen-lockfile",
    "pnpm test",
  ],
  [
    "pnpm",
    { "package.json": testedBy("vitest", { ...needing, packageManager: "pnpm@9.1.0" }) },
    "pnpm install --no-lockfile",
    "pnpm test",
  ],
  [
    "yarn",
    { "package.json": testedBy("vitest"), "yarn.lock": "" },
    "yarn install --frozen-lockfile",
    "yarn test",
  ],
  [
    "yarn",
    { "package.json": testedBy("vitest"), "yarn.lock": "", ".yarnrc.yml": "" },
    "yarn install --immutable",
    "yarn test",
  ],
  [
    "yarn",
    { "package.json": '{"packageManager":"yarn@4.1.0"}', "yarn.lock": "" },
    "yarn install --immutable",
    undefined,
  ],
  ["npm", { "package.json": testedBy("vitest"), "package-lock.json": "" }, "npm ci", "npm test"],
  ["npm", { "package.json": testedBy("vitest"), "npm-shrinkwrap.json": "" }, "npm ci", "npm test"],
  [
    "npm",
    { "package.json": testedBy("mocha", needing) },
    "npm install --no-package-lock",
    "npm test",
  ],
  ["npm", { "package.json": testedBy("node --test", { dependencies: {} }) }, undefined, "npm test"],
  ["npm", { "package.json": '{"workspaces":["a"]}' }, "npm install --no-package-lock", undefined],
  [
    "uv",
    { "pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": "" },
    "uv sync --frozen",
    "uv run pytest",
  ],
  [
    "poetry",
    { "pyproject.toml": "", "poetry.lock": "", "tests/test_a.py": "" },
    "poetry install",
    "poetry run pytest",
  ],
  ["pdm", { "pyproject.toml": "[project]", "pdm.lock": "" }, "pdm sync", undefined],
  [
    "pipenv",
    { Pipfile: "", "Pipfile.lock": "", "conftest.py": "" },
    "pipenv sync --dev",
    "pipenv run pytest",
  ],
  ["uv without a lockfile", { "pyproject.toml": "[project]\n[tool.uv]\n" }, "uv sync", undefined],
  [
    "poetry without a lockfile",
    { "pyproject.toml": "[tool.poetry]\n" },
    "poetry install",
    undefined,
  ],
  ["pip", { "pyproject.toml": "[project]" }, `${VENV} && ${PIP} -e .`, undefined],
  ["pip", { "setup.py": "", "tests/test_a.py": "" }, `${VENV} && ${PIP} -e . pytest`, PYTEST],
  [
    "pip",
    { "requirements.txt": "", "requirements-dev.txt": "", "conftest.py": "" },
    `${VENV} && ${PIP} -r requirements.txt -r requirements-dev.txt pytest`,
    PYTEST,
  ],
  [
    "pip",
    {
      "pyproject.toml":
        "[project]\nname = 'a'\n[project.optional-dependencies]\ndev = ['x']\ntests = [\n'pytest']\n[tool.pytest.ini_options]\n",
    },
    `${VENV} && ${PIP} -e '.[tests]' pytest`,
    PYTEST,
  ],
  [
    "pip",
    {
      "pyproject.toml":
        "[project]\nname = 'a'\n[dependency-groups]\ndev = ['ruff']\ntests = ['pytest']\n[tool.pytest.ini_options]\n",
    },
    `${VENV} && ${PIP} 'pip>=25.1' && ${PIP} -e . --group tests pytest`,
    PYTEST,
  ],
  ["pytest without a manifest", { "conftest.py": "" }, undefined, "pytest"],
  ["pytest without a manifest", { "setup.cfg": "[tool:pytest]" }, undefined, "pytest"],
  ["cargo", { "Cargo.toml": "", "Cargo.lock": "" }, "cargo fetch --locked", "cargo test"],
  ["cargo", { "Cargo.toml": "" }, "cargo fetch", "cargo test"],
  ["go", { "go.mod": "", "go.sum": "" }, "go mod download", "go test ./..."],
  [
    "bundler",
    { Gemfile: "", "Gemfile.lock": "", "spec/a_spec.rb": "" },
    "bundle install",
    "bundle exec rspec",
  ],
  [
    "bundler",
    { Gemfile: "", Rakefile: "", "test/a_test.rb": "" },
    "bundle install",
    "bundle exec rake test",
  ],
  ["maven", { "pom.xml": "" }, "mvn -B -q test-compile", "mvn -B test"],
  ["maven", { "pom.xml": "", mvnw: "" }, "./mvnw -B -q test-compile", "./mvnw -B test"],
  [
    "gradle",
    { "build.gradle.kts": "", gradlew: "" },
    "./gradlew --no-daemon -q testClasses",
    "./gradlew --no-daemon test",
  ],
  [
    "composer",
    { "composer.json": testedBy("phpunit") },
    "composer install --no-interaction",
    "composer test",
  ],
  [
    "composer",
    { "composer.json": "{}", "phpunit.xml.dist": "" },
    "composer install --no-interaction",
    "vendor/bin/phpunit",
  ],
  ["mix", { "mix.exs": "" }, "mix deps.get", "mix test"],
  ["dotnet", { "App.sln": "" }, "dotnet restore", "dotnet test"],
  ["make", { Makefile: "all:\n\ttrue\ntest: all\n\ttrue\n" }, undefined, "make test"],
]

test.each(ROWS)(
  "%s: %j is set up with %j and tested with %j [28.8]",
  async (name, files, ...commands) => {
    expect(await guessed(files)).toEqual(commands)
    const project = await read(files)
    const here = ECOSYSTEMS.filter((one) => one.isHere(project)).map((one) => one.name)
    expect(here).toContain(name)
  },
)

test("each row of the table has an example above", () => {
  expect([...new Set(ROWS.map(([name]) => name))]).toEqual(ECOSYSTEMS.map(({ name }) => name))
})

test("the set-up serves the gate, and `make test` takes the first set-up that the files name [28.8]", async () => {
  const python = { "pyproject.toml": "[project]\n[tool.pytest.ini_options]\n" }
  const docs = { "package.json": JSON.stringify({ devDependencies: { prettier: "3" } }) }
  expect(await guessed({ ...python, ...docs })).toEqual([`${VENV} && ${PIP} -e . pytest`, PYTEST])
  const make = { Makefile: "test:\n\ttrue\n" }
  expect(await guessed({ ...make, ...docs })).toEqual([
    "npm install --no-package-lock",
    "make test",
  ])
})

test("files that do not say what tests need differ from files that say they need nothing [28.10]", async () => {
  const known = async (files: Files) => guessCommands(await read(files)).isSetUpKnown
  expect(await known({ "package.json": testedBy("node --test") })).toBe(true)
  expect(await known({ "README.md": "" })).toBe(false)
  expect(await known({ Makefile: "test:\n\ttrue\n" })).toBe(false)
  expect(await known({ "conftest.py": "" })).toBe(false)
})

test.each<[Files, string[]]>([
  [{ "package.json": testedBy("mocha", needing) }, ["npm"]],
  [{ "setup.py": "", "conftest.py": "" }, ["python3"]],
  [{ "pom.xml": "", mvnw: "" }, ["java"]],
  [{ "composer.json": testedBy("phpunit") }, ["composer", "php"]],
  [{ "App.csproj": "" }, ["dotnet"]],
])("%j needs the programs %j [28.9]", async (files, programs) => {
  expect(guessCommands(await read(files)).programs).toEqual(programs)
})

test("a Makefile without a target `test` has no gate", async () => {
  expect(await guessed({ Makefile: "test := 1\nlatest:\n" })).toEqual([undefined, undefined])
})

test("the placeholder of npm init does not count as a test, and a broken package.json has none", async () => {
  const placeholder = 'echo "Error: no test specified" && exit 1'
  for (const text of [testedBy(placeholder), "{", "null"])
    expect(await guessed({ "package.json": text })).toEqual([undefined, undefined])
})

test("a folder that does not exist is an empty project", async () => {
  expect((await readProject("/nowhere/at/all")).files.size).toBe(0)
})
