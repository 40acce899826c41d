/** The folders into which a project's packages are installed, by its lockfiles. Pure. */
import type { Project } from "../project.ts"

/** Names at any depth, since parts of a project have such folders of their own; or paths. */
const BY_FILE: Readonly<Record<string, readonly string[]>> = {
  "bun.lock": ["node_modules"],
  "bun.lockb": ["node_modules"],
  "pnpm-lock.yaml": ["node_modules"],
  "yarn.lock": ["node_modules"],
  "package-lock.json": ["node_modules"],
  "npm-shrinkwrap.json": ["node_modules"],
  "uv.lock": [".venv"],
  "poetry.lock": [".venv"],
  "pdm.lock": [".venv"],
  "Pipfile.lock": [".venv"],
  "Gemfile.lock": ["vendor/bundle"],
  "composer.lock": ["vendor"],
  "Cargo.lock": ["target"],
}

export function dependencyFolders({ files }: Pick<Project, "files">): readonly string[] {
  const folders = Object.entries(BY_FILE).filter(([file]) => files.has(file))
  return [...new Set(folders.flatMap(([, names]) => names))]
}
