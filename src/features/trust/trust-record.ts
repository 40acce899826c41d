/**
 * The approvals of a person for a home: trust.json in its state directory, for its owner alone.
 *
 * It holds the very text of coppice.yml, so that the last approved one stays in force when the file
 * changes, and by repository a hash of the programs that its own git configuration names.
 */
import { join, resolve } from "node:path"
import { replaceFile } from "../../api/client/make-private-folder.ts"
import { fs } from "../../api/client/node-builtins.ts"
import { readSmall } from "../../api/client/read-small.ts"
import { lookUpRepository } from "../../api/client/repository.ts"
import { isYoung } from "../../base/wall-wait.ts"
import type { Config } from "../../config/config.ts"
import { type GitProgram, textOfPrograms } from "../../kernel/git/start/program-text.ts"
import type { ForeignSetups } from "../foreign-setup/foreign-setup.ts"
import type { ApprovedHooks } from "../git-hooks/repository-hooks.ts"
import type { ApprovedAddresses } from "./push-address.ts"

export type Trust = {
  /** The approved coppice.yml; null: none existed. Undefined: nothing was approved yet. */
  readonly config: string | null | undefined
  /** By common git directory: {@link hashForApproval} of the approved programs. */
  readonly git: Readonly<Record<string, string>>
  /** Set-ups that files of other tools name. */
  readonly setups?: ForeignSetups
  /** Git hooks that are part of a gate. */
  readonly hooks?: ApprovedHooks
  /** Where remotes lead that Coppice pushes to. */
  readonly addresses?: ApprovedAddresses
}

export const TRUST_FILE = "trust.json"
const NOTHING: Trust = { config: undefined, git: {} }

/** An unreadable or invalid file approves nothing. */
export function readTrust(stateDir: string): Trust {
  try {
    const read = JSON.parse(readSmall(join(stateDir, TRUST_FILE)))
    const { config, git, setups, hooks, addresses } = read
    const isConfig = config === null || config === undefined || typeof config === "string"
    const ofFiles = { ...(setups && { setups }), ...(hooks && { hooks }) }
    const others = { ...ofFiles, ...(addresses && { addresses }) }
    return { config: isConfig ? config : undefined, git: { ...git }, ...others }
  } catch {
    return NOTHING
  }
}

/**
 * Applies `change` to the current record, so that changes of other processes since the caller read it
 * are kept, above all a withdrawn approval. One process at a time reads and writes.
 */
export function changeTrust(stateDir: string, change: (now: Trust) => Trust): void {
  const path = join(stateDir, TRUST_FILE)
  whileLocked(`${path}.lock`, () =>
    replaceFile(path, `${JSON.stringify(change(readTrust(stateDir)))}\n`),
  )
}

/**
 * The approvals of the repositories that coppice.yml names. One that it no longer names is on its own
 * again (home.ts), so its approval must go. The usual place counts for a folder that is missing now.
 */
export function keepNamed(git: Trust["git"], home: string, { repos }: Pick<Config, "repos">) {
  const named = repos.map(({ path }) => {
    const at = resolve(home, path)
    return fs.existsSync(at) ? lookUpRepository(fs.realpathSync(at))?.gitDir : join(at, ".git")
  })
  return Object.fromEntries(Object.entries(git).filter(([dir]) => named.includes(dir)))
}

/**
 * A change takes less than a millisecond, so the process that made an older lock has died. A shorter
 * time would take the lock from a process that a loaded machine has stopped for seconds.
 */
const LOCK_MS_MAX = 30_000
const LOCK_POLL_MS = 2

/** @throws the system's error when the lock's folder cannot be written. */
function whileLocked(lock: string, work: () => void): void {
  while (!tryLock(lock)) {
    const found = fs.statSync(lock, { throwIfNoEntry: false })
    if (found && !isYoung(found.mtimeMs, LOCK_MS_MAX, Date.now())) fs.rmSync(lock, { force: true })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS)
  }
  try {
    work()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

function tryLock(lock: string): boolean {
  try {
    fs.writeFileSync(lock, "", { mode: 0o600, flag: "wx" })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw Object.assign(error as Error, { path: lock })
  }
}

/** The same hash as in kernel/git/start/programs.ts. */
export function hashForApproval(programs: readonly GitProgram[]): string {
  const { createHash } = process.getBuiltinModule("node:crypto")
  return createHash("sha256").update(textOfPrograms(programs), "latin1").digest("hex")
}
