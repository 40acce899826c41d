/**
 * Runs the git hooks of `landing.hooks` on a commit, in the gate's disposable worktree.
 *
 * For `pre-commit` the whole change is staged there, as before a commit of it. A hook that changes
 * files or a message refuses the work: only its agent changes what lands. The text that runs is the one
 * that a person approved, in a file of its own: the one in `.git/hooks` may be an agent's.
 */

import type { Oid, RefName } from "../../base/ids.ts"
import { readRemote } from "../../kernel/git/ask/remote-branch.ts"
import { listCommits } from "../../kernel/git/ask/rev-list.ts"
import { readStatus } from "../../kernel/git/ask/status.ts"
import { withoutPasswords } from "../../kernel/git/change/clone.ts"
import { parseCommit } from "../../kernel/git/change/commit-objects.ts"
import { updateRef } from "../../kernel/git/change/update-ref.ts"
import {
  type Configured,
  type Programs,
  type Rows,
  type Step,
  taskRepo,
} from "../../kernel/landing/action.ts"
import { type GateRun, namePaths, tooLate } from "../../kernel/landing/gate/run-gate.ts"
import { listFilesOfGate } from "../../kernel/landing/gate/same-tree.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { findDiskTrouble } from "../../kernel/process/disk.ts"
import { runBounded } from "../../kernel/process/run.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { GIT_HOOKS, type GitHook } from "./rules.ts"

type Uses = Rows & Configured & Programs

type HookEnd = Extract<GateRun, { readonly kind: "unavailable" | "aborted" | "hookRefused" }>

type Place = {
  readonly worktree: string
  readonly commit: Oid
  /** The commit before the change; the same commit for the target itself. */
  readonly base: Oid
}

type HookRun = {
  readonly name: GitHook
  readonly args: readonly string[]
  /** Of `commit-msg`: the message, which it may not change. */
  readonly stdin: string
}

/** As of a gate. */
const OUTPUT_BYTES_MAX = 64 * 1024
const CANNOT_START = [126, 127]

/** `$0` is the hook's name; a message comes on standard input. A changed message is an error of the hook's. */
const SCRIPT = `
d=$(mktemp -d) && printf '%s' "$COPPICE_HOOK" > "$d/$0" && chmod +x "$d/$0" || exit 126
unset COPPICE_HOOK
case $0 in commit-msg) cat > "$d/before"; cat "$d/before" > "$d/message"; set -- "$d/message" ;; esac
"$d/$0" "$@"; code=$?
if [ $code = 0 ] && [ -e "$d/before" ] && [ "$(cat "$d/message")" != "$(cat "$d/before")" ]; then
  echo "The hook changes the commit message to:"; cat "$d/message"; code=1
fi
rm -rf "$d"; exit $code`

/** @returns undefined if all of them pass. */
export async function runHooks(
  step: Step<Uses>,
  repo: LandingRepo,
  { hooks, ...place }: Place & { readonly hooks: readonly GitHook[] },
): Promise<HookEnd | undefined> {
  for (const name of GIT_HOOKS.filter((one) => hooks.includes(one))) {
    const end = await runHook(step, repo, { name, place })
    if (end) return end
  }
  return undefined
}

type NamedHook = { readonly name: GitHook; readonly place: Place }

async function runHook(
  step: Step<Uses>,
  repo: LandingRepo,
  { name, place }: NamedHook,
): Promise<HookEnd | undefined> {
  const text = step.context.repoConfig(repo).hooks?.[name]
  if (text === undefined) {
    const message = `\`landing.hooks\` asks for ${name}, and no person has approved such a hook of ${repo.name}. Put it where git looks (\`git rev-parse --git-path hooks\`), then \`coppice trust\``
    return { kind: "unavailable", message }
  }
  for (const run of await listRuns(step, repo, { name, place })) {
    const end = await runOnce(step, repo, { run, text, place })
    if (end) return end
  }
  return undefined
}

async function listRuns(
  step: Step<Uses>,
  repo: LandingRepo,
  { name, place: { worktree, commit, base } }: NamedHook,
): Promise<readonly HookRun[]> {
  const once = { name, args: [], stdin: "" }
  if (name === "pre-commit") return [once]
  if (name === "pre-push") {
    const ref = repo.target
    const args = await remoteArgs(step, repo)
    return [{ ...once, args, stdin: `${ref} ${commit} ${ref} ${base}\n` }]
  }
  const commits = commit === base ? [] : await listCommits(worktree, base, commit)
  return commits.map(({ raw }) => {
    const message = Buffer.from(parseCommit(raw).message, "latin1").toString("utf8")
    return { ...once, stdin: `${message.trimEnd()}\n` }
  })
}

/** As git gives them: name and address, without a password. An address that is not the recorded one is left out. */
async function remoteArgs(step: Step<Uses>, repo: LandingRepo): Promise<readonly string[]> {
  const name = step.context.repoConfig(repo).forge.remote
  const { address } = taskRepo(step, repo)
  const remote = await readRemote(repo.path, name)
  const isRecorded = remote && (address === null || hashAddresses(remote) === address)
  return [name, isRecorded ? withoutPasswords(remote.push, remote.push) : name]
}

const HEAD = "HEAD" as RefName

async function runOnce(
  step: Step<Uses>,
  repo: LandingRepo,
  { run, text, place }: { readonly run: HookRun; readonly text: string; readonly place: Place },
): Promise<HookEnd | undefined> {
  const { context, task, signal } = step
  const { name, args, stdin } = run
  const { worktree, commit, base } = place
  const move = { ref: HEAD, reason: `coppice: ${name}` }
  if (name === "pre-commit") {
    const { kind } = await updateRef(worktree, { ...move, from: commit, to: base })
    // The hook would see no change. A program of set-up, which may be the work's, can do that.
    if (kind !== "moved") return { kind: "unavailable", message: `HEAD of ${worktree} is ${kind}` }
  }
  const env = context.environment(task, repo.name, { worktree, base })
  const ran = await runBounded(context.owner, {
    command: ["/bin/sh", "-c", SCRIPT, name, ...args],
    cwd: worktree,
    env: { ...env, COPPICE_HOOK: text, GIT_EDITOR: ":" },
    purpose: "gate",
    task: task.id,
    timeoutMs: context.repoConfig(repo).gateTimeoutMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    signal,
    stdin,
  })
  if (ran.kind === "aborted") return { kind: "aborted" }
  if (name === "pre-commit") await updateRef(worktree, { ...move, from: base, to: commit })
  const exitCode = ran.kind === "exited" ? ran.code : null
  const data = { landing: step.landing.id, hook: name, exitCode, durationMs: ran.durationMs }
  const event = { type: "gate.hook_ran", task: task.id, data } as const
  appendEvent(context.db, event, context.world.nowMs())
  if (ran.kind === "unstartable") return { kind: "unavailable", message: ran.message }
  const { output } = ran
  const refused = async (failure: string): Promise<HookEnd> => {
    const message = await findDiskTrouble(worktree) // such a disk says nothing about the work
    if (message !== undefined) return { kind: "unavailable", message }
    return { kind: "hookRefused", hook: name, failure, output }
  }
  if (ran.kind === "timed_out") return refused(tooLate(context.repoConfig(repo)))
  if (CANNOT_START.includes(ran.code))
    return { kind: "unavailable", message: `the hook ${name} does not start: ${output.trim()}` }
  if (ran.code !== 0) return refused(`exited with ${ran.code}`)
  const changed = await findChanged(place)
  return changed === undefined ? undefined : refused(`changed ${changed}`)
}

/** In its files, or in what is staged. */
async function findChanged({ worktree, commit }: Place): Promise<string | undefined> {
  const changed = await listFilesOfGate({ worktree, commit, placed: [] })
  const { staged } = await readStatus(worktree)
  const paths = [...new Set([...changed, ...staged])]
  return paths.length > 0 ? namePaths(paths) : undefined
}
