/** The command that must pass before work lands, guessed from the project's files. Pure. */
import type { Project } from "./project.ts"

/** The test command of the project, or undefined if there is none. */
export function gateCommand(project: Project): string | undefined {
  const { files, texts } = project
  if (hasTestScript(texts["package.json"])) return `${packageManager(files)} test`
  if (usesPytest(project)) return pytest(files)
  if (files.has("Cargo.toml")) return "cargo test"
  if (files.has("go.mod")) return "go test ./..."
  if (/^test\s*:(?!=)/m.test(texts["Makefile"] ?? "")) return "make test"
  return undefined
}

/** Whether there is a test script other than the placeholder that `npm init` writes. */
function hasTestScript(packageJson: string | undefined): boolean {
  const script = testScript(packageJson ?? "{}")
  return typeof script === "string" && script.trim() !== "" && !script.includes("no test specified")
}

function testScript(packageJson: string): unknown {
  try {
    return JSON.parse(packageJson)?.scripts?.test
  } catch {
    return undefined // npm cannot read this package.json, so there is no test script
  }
}

function packageManager(files: ReadonlySet<string>): string {
  if (files.has("bun.lock") || files.has("bun.lockb")) return "bun run"
  if (files.has("pnpm-lock.yaml")) return "pnpm"
  return files.has("yarn.lock") ? "yarn" : "npm"
}

function usesPytest({ files, texts }: Project): boolean {
  const marks = ["pytest.ini", "conftest.py", "tests/conftest.py"]
  if (marks.some((mark) => files.has(mark))) return true
  if (texts["pyproject.toml"]?.includes("[tool.pytest")) return true
  if (texts["setup.cfg"]?.includes("[tool:pytest]") || texts["tox.ini"]?.includes("[pytest]"))
    return true
  const isPython = files.has("pyproject.toml") || files.has("setup.py")
  return isPython && [...files].some((path) => /^tests\/test_\w+\.py$/.test(path))
}

/** Depends on the tool whose lockfile says where pytest is installed. */
function pytest(files: ReadonlySet<string>): string {
  if (files.has("uv.lock")) return "uv run pytest"
  return files.has("poetry.lock") ? "poetry run pytest" : "pytest"
}
