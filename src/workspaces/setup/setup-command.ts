/** The command that makes a fresh worktree able to run, guessed from its lockfile. Pure. */
import type { Project } from "../project.ts"

/** In order: a project with several lockfiles is installed by the first. */
const BY_LOCKFILE: readonly (readonly [lockfile: string, command: string])[] = [
  ["bun.lock", "bun install --frozen-lockfile"],
  ["bun.lockb", "bun install --frozen-lockfile"],
  ["pnpm-lock.yaml", "pnpm install --frozen-lockfile"],
  ["yarn.lock", "yarn install --frozen-lockfile"],
  ["package-lock.json", "npm ci"],
  ["npm-shrinkwrap.json", "npm ci"],
  ["uv.lock", "uv sync --frozen"],
  ["poetry.lock", "poetry install"],
  ["pdm.lock", "pdm sync"],
  ["Pipfile.lock", "pipenv sync --dev"],
  ["Gemfile.lock", "bundle install"],
  ["composer.lock", "composer install"],
]

/** The install command of the lockfile found, or undefined when there is none. */
export function setupCommand({ files, texts }: Project): string | undefined {
  const found = BY_LOCKFILE.find(([lockfile]) => files.has(lockfile))
  if (found?.[0] === "yarn.lock" && isYarnBerry({ files, texts })) return "yarn install --immutable"
  return found?.[1]
}

/** Yarn 2 and later renamed the option, and refuse the old name. */
function isYarnBerry({ files, texts }: Project): boolean {
  const pinned = /"packageManager"\s*:\s*"yarn@(\d+)/.exec(texts["package.json"] ?? "")?.[1]
  return pinned === undefined ? files.has(".yarnrc.yml") : Number(pinned) >= 2
}
