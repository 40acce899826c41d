/** The package managers of Python: which one a project uses, and its commands. Pure. */
import { shellWord } from "../../../../base/text/shell-word.ts"
import type { Ecosystem } from "./ecosystem.ts"
import type { Project } from "./project.ts"

const LEAVES = [".venv"]
const PYTHON = ".venv/bin/python"
/** Names of an extra or a dependency group that holds what tests need; the first one counts. */
const FOR_TESTS = ["test", "tests", "testing", "dev"]
/** Files of requirements that tests may need. */
const REQUIREMENTS = [
  ...["requirements.txt", "requirements-test.txt", "requirements-tests.txt"],
  ...["requirements-dev.txt", "requirements_dev.txt", "test-requirements.txt"],
  ...["dev-requirements.txt", "tests/requirements.txt"],
]
/** The first pip that knows `--group`. */
const PIP_WITH_GROUPS = "pip>=25.1"

/** In order: a project with several lockfiles is installed by the first. */
export const PYTHONS: readonly Ecosystem[] = [
  locked("uv", "uv.lock", "uv sync --frozen"),
  locked("poetry", "poetry.lock", "poetry install"),
  locked("pdm", "pdm.lock", "pdm sync"),
  locked("pipenv", "Pipfile.lock", "pipenv sync --dev"),
  {
    ...unlocked("uv", "[tool.uv]", "uv sync"),
    name: "uv without a lockfile",
  },
  {
    ...unlocked("poetry", "[tool.poetry]", "poetry install"),
    name: "poetry without a lockfile",
  },
  {
    name: "pip",
    isHere: (project) => isInstallable(project) || requirementsOf(project).length > 0,
    setup: pipInstall,
    gate: (project) => (usesPytest(project) ? `${PYTHON} -m pytest` : undefined),
    leaves: LEAVES,
  },
  {
    name: "pytest without a manifest", // the packages are wherever the user has them
    isHere: usesPytest,
    gate: () => "pytest",
    leaves: [],
  },
]

function locked(name: string, lockfile: string, setup: string): Ecosystem {
  return {
    name,
    isHere: ({ files }) => files.has(lockfile),
    setup: () => setup,
    gate: (project) => (usesPytest(project) ? `${name} run pytest` : undefined),
    leaves: LEAVES,
  }
}

function unlocked(name: string, section: string, setup: string): Ecosystem {
  const isHere = ({ texts }: Project) => pyproject(texts).includes(section)
  return { ...locked(name, "", setup), isHere }
}

/** The project itself in place, so that its tests import the worktree's files. */
function pipInstall(project: Project): string {
  const groups = firstOf(project, "dependency-groups")
  const extra = firstOf(project, "project.optional-dependencies")
  const operands = [
    ...(isInstallable(project) ? ["-e", extra ? shellWord(`.[${extra}]`) : "."] : []),
    ...requirementsOf(project).flatMap((file) => ["-r", file]),
    ...(groups ? ["--group", groups] : []),
    ...(usesPytest(project) ? ["pytest"] : []),
  ]
  const newer = groups ? [`${PYTHON} -m pip install ${shellWord(PIP_WITH_GROUPS)}`] : []
  const install = `${PYTHON} -m pip install ${operands.join(" ")}`
  return ["python3 -m venv .venv", ...newer, install].join(" && ")
}

/** Whether pip can install the project itself, not only what it needs. */
function isInstallable({ files, texts }: Project): boolean {
  if (files.has("setup.py")) return true
  return /^\[(project|build-system)\]/m.test(pyproject(texts))
}

const requirementsOf = ({ files }: Project) => REQUIREMENTS.filter((name) => files.has(name))

const pyproject = (texts: Project["texts"]) => texts["pyproject.toml"] ?? ""

/** The first key of {@link FOR_TESTS} in a table of pyproject.toml. */
function firstOf({ texts }: Project, table: string): string | undefined {
  const [, after = ""] = pyproject(texts).split(`\n[${table}]`)
  const [section = ""] = after.split(/^\[/m)
  return FOR_TESTS.find((key) => new RegExp(`^${key}\\s*=`, "m").test(section))
}

function usesPytest({ files, texts }: Project): boolean {
  const marks = ["pytest.ini", "conftest.py", "tests/conftest.py"]
  if (marks.some((mark) => files.has(mark))) return true
  if (pyproject(texts).includes("[tool.pytest")) return true
  if (texts["setup.cfg"]?.includes("[tool:pytest]") || texts["tox.ini"]?.includes("[pytest]"))
    return true
  const isPython = files.has("pyproject.toml") || files.has("setup.py")
  return isPython && [...files].some((path) => /^tests\/test_\w+\.py$/.test(path))
}
