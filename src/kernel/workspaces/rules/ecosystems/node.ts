/** The package managers of Node: which one a project uses, and its commands. Pure. */
import type { Ecosystem } from "./ecosystem.ts"
import { entriesOf, type Project, readManifest } from "./project.ts"

const LEAVES = ["node_modules"]
const DEPENDENCIES = [
  ...["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"],
]

type PackageManager = {
  readonly name: string
  readonly lockfiles: readonly string[]
  /** @param isLocked whether one of its lockfiles is there. */
  install(project: Project, isLocked: boolean): string
  readonly test: string
  readonly leaves?: readonly string[]
}

/** In order: a project with several lockfiles is installed by the first; npm is the default. */
const MANAGERS: readonly PackageManager[] = [
  {
    name: "bun",
    lockfiles: ["bun.lock", "bun.lockb"],
    install: (_, isLocked) => `bun install ${isLocked ? "--frozen-lockfile" : "--no-save"}`,
    test: "bun run test",
  },
  {
    name: "pnpm",
    lockfiles: ["pnpm-lock.yaml"],
    install: (_, isLocked) => `pnpm install ${isLocked ? "--frozen-lockfile" : "--no-lockfile"}`,
    test: "pnpm test",
    leaves: [".pnpm-store"],
  },
  {
    name: "yarn",
    lockfiles: ["yarn.lock"],
    install: (project, isLocked) => {
      if (isYarnBerry(project)) return isLocked ? "yarn install --immutable" : "yarn install"
      return `yarn install ${isLocked ? "--frozen-lockfile" : "--no-lockfile"}`
    },
    test: "yarn test",
  },
  {
    name: "npm",
    lockfiles: ["package-lock.json", "npm-shrinkwrap.json"],
    install: (_, isLocked) => (isLocked ? "npm ci" : "npm install --no-package-lock"),
    test: "npm test",
  },
]

export const NODE: readonly Ecosystem[] = MANAGERS.map((manager) => ({
  name: manager.name,
  isHere: (project) => project.files.has("package.json") && managerOf(project) === manager,
  setup: (project) => {
    const isLocked = hasLockfile(project, manager)
    return isLocked || hasDependencies(project) ? manager.install(project, isLocked) : undefined
  },
  gate: (project) => (hasTestScript(project) ? manager.test : undefined),
  leaves: [...LEAVES, ...(manager.leaves ?? [])],
}))

function managerOf(project: Project): PackageManager | undefined {
  const pinned = /^\w+/.exec(String(readManifest(project, "package.json")["packageManager"]))?.[0]
  return (
    MANAGERS.find((manager) => hasLockfile(project, manager)) ??
    MANAGERS.find(({ name }) => name === pinned) ??
    MANAGERS.at(-1)
  )
}

const hasLockfile = ({ files }: Project, { lockfiles }: PackageManager) =>
  lockfiles.some((name) => files.has(name))

function hasDependencies(project: Project): boolean {
  const manifest = readManifest(project, "package.json")
  const hasSome = DEPENDENCIES.some((key) => entriesOf(manifest[key]).length > 0)
  return hasSome || manifest["workspaces"] !== undefined || project.files.has("pnpm-workspace.yaml")
}

/** Whether there is a test script other than the placeholder that `npm init` writes. */
function hasTestScript(project: Project): boolean {
  const scripts = entriesOf(readManifest(project, "package.json")["scripts"])
  const script = scripts.find(([name]) => name === "test")?.[1]
  return typeof script === "string" && script.trim() !== "" && !script.includes("no test specified")
}

/** Yarn 2 and later renamed the option, and refuse the old name. */
function isYarnBerry({ files, texts }: Project): boolean {
  const pinned = /"packageManager"\s*:\s*"yarn@(\d+)/.exec(texts["package.json"] ?? "")?.[1]
  return pinned === undefined ? files.has(".yarnrc.yml") : Number(pinned) >= 2
}
