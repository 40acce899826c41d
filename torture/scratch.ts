/**
 * The place of a torture: a clone that shares nothing with its original, and a fleet around it.
 *
 * - `home/`: HOME, configuration, state of the daemons
 * - `fleet/`: the home of the fleet, with coppice.yml
 * - `fleet/repo/`: the clone, whose checkout is the user's
 * - `fleet/lib/`: another clone, in which some tasks work as well
 * - `linked/`: a linked worktree of `repo`, in which the user works as well
 * - `notes/`: the notes of agents and gate, and in `lib/` those about `lib`
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { approveConfig } from "../src/features/trust/find-unapproved.ts"
import type { ProcessOwner } from "../src/kernel/process/owner.ts"
import { TortureError } from "./errors.ts"
import { AGENT, GATE, NOTES } from "./programs.ts"
import { quote, runShell } from "./shell.ts"

export type Scratch = {
  readonly folder: string
  readonly home: string
  /** The state folder, where each home's daemon writes its address. */
  readonly state: string
  readonly fleet: string
  readonly repo: string
  /** The second clone. */
  readonly lib: string
  /** The linked worktree of the first. */
  readonly linked: string
  readonly notes: string
  /** The file in which the gate, in either clone, notes trees that passed. */
  readonly passed: string
  /** The whole environment of the user, and of the daemons that the user starts. */
  readonly env: Readonly<Record<string, string>>
  /** The branch that work lands on. */
  readonly target: string
  /** The commit at which both clones begin. */
  readonly start: string
  /** Faults that `git fsck` finds in the clone at the start, a line each. */
  readonly broken: readonly string[]
}

export const POOL_SIZE = 2
/** How the agents' worktrees are made, and where their work is tested. */
export const AGENTS = {
  plain: {},
  pooled: { workspace: { pool: POOL_SIZE } },
  apart: { landing: { gate_in: "candidate" } },
} as const
/** The branch that the user has checked out in the linked worktree. */
export const LINKED_BRANCH = "user-linked"
/** Hides output that does not mean a fault: dangling objects, progress, and a graph older than a prune. */
export const FSCK = "git -c core.commitGraph=false fsck --no-dangling --no-progress 2>&1"

/** @throws {TortureError} (user) when the repository cannot be cloned, or has no commit. */
export async function makeScratch(owner: ProcessOwner, original: string): Promise<Scratch> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-torture-")))
  const at = (name: string) => join(folder, name)
  const [home, fleet, notes, linked] = [at("home"), at("fleet"), at("notes"), at("linked")]
  for (const path of [home, fleet, notes, join(notes, "lib")]) mkdirSync(path)
  const [repo, lib] = [join(fleet, "repo"), join(fleet, "lib")]
  const env = environment(home)
  try {
    const target = await clone({ owner, original, repo, env })
    await clone({ owner, original, repo: lib, env })
    const script = `git rev-parse HEAD; git worktree add --quiet -b ${LINKED_BRANCH} ${quote(linked)}; ${FSCK}`
    const { output } = await runShell(owner, { script, cwd: repo, env })
    const [start = "", ...broken] = output.split("\n")
    configure({ fleet, notes, target })
    approveConfig({ home: fleet }, env)
    return {
      folder,
      home,
      fleet,
      repo,
      lib,
      linked,
      notes,
      env,
      target,
      state: join(home, "state/coppice"),
      passed: join(notes, "passed"),
      start,
      broken,
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Only the variables that locate programs: no configuration, no login. */
function environment(home: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    LANG: "C.UTF-8",
    XDG_STATE_HOME: join(home, "state"),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
  }
}

/** A background `git gc` would outlive the user's command that started it. */
const CLONE = `
git clone --quiet --no-hardlinks --no-tags "$ORIGINAL" "$REPO" && cd "$REPO" || exit
git remote remove origin
git config user.name Torture && git config user.email torture@example.com
git config advice.detachedHead false
git config gc.auto 0 && git config maintenance.auto false
printf '*.mine\\n' >> .git/info/exclude
git rev-parse --quiet --verify HEAD >&2 && git symbolic-ref --short HEAD
`

async function clone(from: {
  readonly owner: ProcessOwner
  readonly original: string
  readonly repo: string
  readonly env: Readonly<Record<string, string>>
}): Promise<string> {
  const { owner, original, repo } = from
  const env = { ...from.env, ORIGINAL: original, REPO: repo }
  const cloned = await runShell(owner, { script: CLONE, cwd: dirname(repo), env })
  const target = cloned.output.trim().split("\n").at(-1)
  if (cloned.code !== 0 || !target) throw new TortureError(original, cloned.output.trim())
  return target
}

function configure({ fleet, notes, target }: Pick<Scratch, "fleet" | "notes" | "target">): void {
  writeFileSync(join(notes, "agent.sh"), AGENT)
  writeFileSync(join(notes, "gate.sh"), GATE)
  writeFileSync(join(notes, "passed"), "")
  // The scripts read names that end in NUL, which not every sh can do.
  const run = (name: string) => `bash ${quote(join(notes, name))}`
  const env = {
    [NOTES]: notes,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Agent",
    GIT_AUTHOR_EMAIL: "agent@example.com",
    GIT_COMMITTER_NAME: "Agent",
    GIT_COMMITTER_EMAIL: "agent@example.com",
  }
  // The gate also runs where no agent has written its input, for example after an undo.
  const settings = {
    target,
    gate: `${NOTES}=${quote(notes)} ${run("gate.sh")}`,
    setup: false,
    gate_writes: ["torture/**"],
  }
  const agent = { runtime: "command", command: run("agent.sh"), env }
  const agents = Object.entries(AGENTS).map(([name, more]) => [name, { ...agent, ...more }])
  const config = {
    version: 1,
    repos: { app: { ...settings, path: "./repo" }, lib: { ...settings, path: "./lib" } },
    agents: Object.fromEntries(agents),
    limits: { concurrent: 4 },
  }
  writeFileSync(join(fleet, "coppice.yml"), JSON.stringify(config, null, 2)) // JSON is YAML
}
