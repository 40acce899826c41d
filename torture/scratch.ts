/**
 * The place of a torture: a clone that shares nothing with its original, and a fleet around it.
 *
 *   <folder>/home/            HOME, configuration, state of the daemons
 *   <folder>/fleet/           the home of the fleet: coppice.yml
 *   <folder>/fleet/repo/      the clone, whose checkout is the user's
 *   <folder>/fleet/lib/       another clone, in which some tasks work as well
 *   <folder>/notes/           what agents and gate noted down; `lib/`, of that one
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { ProcessOwner } from "../src/process/owner.ts"
import { TortureError } from "./errors.ts"
import { AGENT, GATE, NOTES } from "./programs.ts"
import { quote, runShell } from "./shell.ts"

export type Scratch = {
  readonly folder: string
  readonly home: string
  readonly fleet: string
  readonly repo: string
  /** The second clone. */
  readonly lib: string
  readonly notes: string
  /** Where the gate notes the trees that it has seen pass, in either. */
  readonly passed: string
  /** Whole; of the user, and of the daemons that the user starts. */
  readonly env: Readonly<Record<string, string>>
  /** The branch that work lands on. */
  readonly target: string
}

/** @throws {TortureError} (user) when the repository cannot be cloned, or has no commit. */
export async function makeScratch(owner: ProcessOwner, original: string): Promise<Scratch> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-torture-")))
  const [home, fleet, notes] = ["home", "fleet", "notes"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [home, fleet, notes, join(notes, "lib")]) mkdirSync(path)
  const [repo, lib] = [join(fleet, "repo"), join(fleet, "lib")]
  const env = environment(home)
  try {
    const target = await clone({ owner, original, repo, env })
    await clone({ owner, original, repo: lib, env })
    configure({ fleet, notes, target })
    return { folder, home, fleet, repo, lib, notes, passed: join(notes, "passed"), env, target }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Of whoever runs it only what programs are found by: no configuration, no login, no variables. */
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

const CLONE = `
git clone --quiet --no-hardlinks --no-tags "$ORIGINAL" "$REPO" && cd "$REPO" || exit
git remote remove origin
git config user.name Torture && git config user.email torture@example.com
git config advice.detachedHead false
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
  // What the scripts need that is not in every sh: reading names that end in NUL.
  const run = (name: string) => `bash ${quote(join(notes, name))}`
  const env = { [NOTES]: notes, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" }
  const identity = { GIT_AUTHOR_NAME: "Agent", GIT_AUTHOR_EMAIL: "agent@example.com" }
  const committer = { GIT_COMMITTER_NAME: "Agent", GIT_COMMITTER_EMAIL: "agent@example.com" }
  // Also where no agent of ours has written what it tests, as where work is taken back.
  const settings = { target, gate: `${NOTES}=${quote(notes)} ${run("gate.sh")}`, setup: false }
  const config = {
    version: 1,
    repos: { app: { ...settings, path: "./repo" }, lib: { ...settings, path: "./lib" } },
    agents: {
      player: {
        runtime: "command",
        command: run("agent.sh"),
        env: { ...env, ...identity, ...committer },
      },
    },
    limits: { concurrent: 4 },
  }
  writeFileSync(join(fleet, "coppice.yml"), JSON.stringify(config, null, 2)) // JSON is YAML
}
