/**
 * The table of ecosystems: what a project's files say about its set-up and its tests. Pure.
 *
 * The first row with tests gives the gate, and the set-up serves that gate. Without tests, or with
 * `make test`, which may call anything, the first row with a set-up counts.
 */
import type { Ecosystem } from "./ecosystem.ts"
import { NODE } from "./node.ts"
import { programsOf } from "./programs.ts"
import { entriesOf, type Project, readManifest } from "./project.ts"
import { PYTHONS } from "./python.ts"

const RUST: Ecosystem = {
  name: "cargo",
  isHere: ({ files }) => files.has("Cargo.toml"),
  setup: ({ files }) => `cargo fetch${files.has("Cargo.lock") ? " --locked" : ""}`,
  gate: () => "cargo test",
  leaves: [],
}

const GO: Ecosystem = {
  name: "go",
  isHere: ({ files }) => files.has("go.mod"),
  setup: () => "go mod download",
  gate: () => "go test ./...",
  leaves: [],
}

const RUBY: Ecosystem = {
  name: "bundler",
  isHere: ({ files }) => files.has("Gemfile"),
  setup: () => "bundle install",
  gate: ({ files }) => {
    if (files.has(".rspec") || files.has("spec")) return "bundle exec rspec"
    return files.has("Rakefile") && files.has("test") ? "bundle exec rake test" : undefined
  },
  leaves: [],
}

/** A wrapper brings the tool, and needs Java. */
function onJava(manifests: readonly string[], tool: Omit<Ecosystem, "isHere" | "needs">) {
  return { ...tool, needs: ["java"], isHere: hasOne(manifests) }
}

const wrapped = ({ files }: Project, wrapper: string, tool: string) =>
  files.has(wrapper) ? `./${wrapper}` : tool

const MAVEN: Ecosystem = onJava(["pom.xml"], {
  name: "maven",
  setup: (project) => `${wrapped(project, "mvnw", "mvn")} -B -q test-compile`,
  gate: (project) => `${wrapped(project, "mvnw", "mvn")} -B test`,
  leaves: [],
})

const GRADLE: Ecosystem = onJava(["build.gradle", "build.gradle.kts"], {
  name: "gradle",
  setup: (project) => `${wrapped(project, "gradlew", "gradle")} --no-daemon -q testClasses`,
  gate: (project) => `${wrapped(project, "gradlew", "gradle")} --no-daemon test`,
  leaves: [".gradle"],
})

const PHP: Ecosystem = {
  name: "composer",
  isHere: ({ files }) => files.has("composer.json"),
  setup: () => "composer install --no-interaction",
  gate: (project) => {
    const scripts = entriesOf(readManifest(project, "composer.json")["scripts"])
    if (scripts.some(([name]) => name === "test")) return "composer test"
    return hasOne(["phpunit.xml", "phpunit.xml.dist"])(project) ? "vendor/bin/phpunit" : undefined
  },
  needs: ["php"],
  leaves: [],
}

const ELIXIR: Ecosystem = {
  name: "mix",
  isHere: ({ files }) => files.has("mix.exs"),
  setup: () => "mix deps.get",
  gate: () => "mix test",
  leaves: [],
}

const DOTNET: Ecosystem = {
  name: "dotnet",
  isHere: ({ files }) => [...files].some((name) => /\.(slnx?|csproj|fsproj|vbproj)$/.test(name)),
  setup: () => "dotnet restore",
  gate: () => "dotnet test",
  leaves: [],
}

const MAKE: Ecosystem = {
  name: "make",
  isHere: ({ files }) => files.has("Makefile"),
  gate: ({ texts }) => (/^test\s*:(?!=)/m.test(texts["Makefile"] ?? "") ? "make test" : undefined),
  leaves: [],
}

function hasOne(names: readonly string[]): (project: Project) => boolean {
  return ({ files }) => names.some((name) => files.has(name))
}

/** In order of preference. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  ...[...NODE, ...PYTHONS, RUST, GO, RUBY, MAVEN, GRADLE, PHP, ELIXIR, DOTNET, MAKE],
]

export type Guess = {
  readonly setup: string | undefined
  /** False: nothing says whether the tests need a set-up. */
  readonly isSetUpKnown: boolean
  readonly gate: string | undefined
  /** Programs on the PATH without which they cannot start. */
  readonly programs: readonly string[]
}

/** The commands for a project that configures none. */
export function guessCommands(project: Project): Guess {
  const here = ECOSYSTEMS.filter((one) => one.isHere(project))
  const tested = here.find((one) => one.gate(project) !== undefined)
  const serves = tested && tested !== MAKE ? tested : here.find((one) => one.setup?.(project))
  const setup = serves?.setup?.(project)
  const gate = tested?.gate(project)
  const named = [setup, gate].flatMap((command) => (command ? programsOf(command) : []))
  const needs = [tested, serves].flatMap((one) => one?.needs ?? [])
  const isSetUpKnown = serves?.setup !== undefined
  return { setup, isSetUpKnown, gate, programs: [...new Set([...named, ...needs])] }
}

/** Folders that belong to tools alone: nothing in them is ever work. */
export const LEFT_BY_SETUP: ReadonlySet<string> = new Set(
  ECOSYSTEMS.flatMap(({ leaves }) => leaves),
)
