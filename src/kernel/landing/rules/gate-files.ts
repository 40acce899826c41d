/** Derives from a gate's command which files decide what it tests. Pure. */

/** Programs that run what package.json has under `scripts`. */
const SCRIPT_RUNNERS = ["npm", "pnpm", "yarn", "bun"]
/** Words between the runner and the script's name. */
const RUN_WORDS = ["run", "run-script", "exec", "--"]
const NPM = [".npmrc"]
const CARGO = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"]
const PYTEST = [
  "conftest.py",
  "pytest.ini",
  ".pytest.ini",
  "pyproject.toml",
  "tox.ini",
  "setup.cfg",
]
const GRADLE = ["gradle.properties", "gradle/wrapper/gradle-wrapper.properties"]
const MAVEN = [".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml", ".mvn/settings.xml"]
const WRAPPED = [...MAVEN, ".mvn/wrapper/maven-wrapper.properties"]
const MISE = ["mise.toml", ".mise.toml", "mise.local.toml", ".config/mise.toml", ".tool-versions"]

/** Settings that a program reads by itself: they decide what it runs, and no command names them. */
const READ_BY_ITSELF: ReadonlyMap<string, readonly string[]> = new Map([
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["gmake", ["GNUmakefile", "makefile", "Makefile"]],
  ["npm", NPM],
  ["npx", NPM],
  ["pnpm", [...NPM, "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"]],
  ["yarn", [...NPM, ".yarnrc.yml", ".yarnrc", ".pnp.cjs", ".pnp.loader.mjs"]],
  ["bun", [...NPM, "bunfig.toml"]],
  ["bunx", [...NPM, "bunfig.toml"]],
  ["cargo", CARGO],
  ["pytest", PYTEST],
  ["py.test", PYTEST],
  ["tox", PYTEST],
  ["nox", ["noxfile.py", ...PYTEST]],
  ["mvn", MAVEN],
  ["mvnw", WRAPPED],
  ["gradle", GRADLE],
  ["gradlew", GRADLE],
  ["direnv", [".envrc"]],
  ["mise", MISE],
])

export type GateDependence = {
  /** Paths from the root that the command names or its programs read; some may not exist. */
  readonly paths: readonly string[]
  /** The same, in whichever folder the program runs. */
  readonly anywhere: readonly string[]
  /** Names of scripts in package.json. */
  readonly scripts: readonly string[]
}

/** The files and scripts that the words of `command` name. */
export function gateDependence(command: string): GateDependence {
  const words = command.split(/[\s;&|()<>"'`=]+/).filter(Boolean)
  const paths = words.map((word) => word.replace(/^(\.\/)+/, ""))
  const runners = words.filter((word) => SCRIPT_RUNNERS.includes(word))
  const names = runners.length === 0 ? [] : paths.filter((word) => !isNoName(word))
  const scripts = names.flatMap((name) => [`pre${name}`, name, `post${name}`])
  const anywhere = words.flatMap((word) => READ_BY_ITSELF.get(word.split("/").at(-1) ?? "") ?? [])
  return { paths: [...paths, ...anywhere], anywhere, scripts }
}

const isNoName = (word: string) =>
  SCRIPT_RUNNERS.includes(word) || RUN_WORDS.includes(word) || word.startsWith("-")

/** The texts of these scripts in a package.json; none if it cannot be read. */
export function scriptTexts(packageJson: string | undefined, names: readonly string[]): string[] {
  const scripts = readScripts(packageJson)
  return names.flatMap((name) => (typeof scripts[name] === "string" ? [scripts[name]] : []))
}

/** `npm t` and `npm tst` are `npm test`: any change of a script may change what runs. */
export function changesScripts(before: string | undefined, after: string | undefined): boolean {
  const sorted = (text: string | undefined) =>
    JSON.stringify(Object.entries(readScripts(text)).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(before) !== sorted(after)
}

function readScripts(packageJson: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const scripts: unknown = JSON.parse(packageJson ?? "{}")?.scripts
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {}
  } catch {
    return {} // npm could not run any of it either
  }
}
