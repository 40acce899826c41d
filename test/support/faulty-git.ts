/**
 * A git that fails on demand: the first of the PATH, in front of the real one.
 *
 * The fault is a line of shell in the file `fault` next to the repository of a test, so simultaneous
 * tests do not meet. It strikes only git processes of ours, never those that play a person. Until
 * the first fault, the first of the PATH is the real git: a shell around each one is slow.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { TestRepo } from "./repo.ts"

/** Commands that write; the others only look. */
const WRITING = "update-ref|read-tree|commit|add|hash-object|checkout-index|update-index|worktree"

/** Each line may use `$real`, the true git, and `$fault`, its own file. */
const LINES = {
  /** The next git that writes dies before it has done anything. */
  "killed before": `case $1 in ${WRITING}) rm "$fault"; kill -9 $$ ;; esac`,
  /** The next git that writes has done all, and dies before it can say so. */
  "killed after": `case $1 in ${WRITING}) rm "$fault"; "$real" "$@"; kill -9 $$ ;; esac`,
  /** The next git that walks history dies before it has said anything. */
  "killed while it looks": 'case $1 in rev-list) rm "$fault"; kill -9 $$ ;; esac',
  /** Another git takes the index while ours looks at a move. */
  "index taken": 'case $1 in diff-tree) rm "$fault"; : > .git/index.lock ;; esac',
  /** A clean-up removes the worktree in which git works. */
  "worktree goes": 'case $1 in status) rm -r "$fault" "$PWD"; exit 128 ;; esac',
  /** No git can write to a file: each write fails, as it does on a full disk. */
  "disk full": "trap '' XFSZ; ulimit -f 0",
} as const

export type GitFault = keyof typeof LINES

type Installed = Disposable & {
  /** Puts the faulty git first. One that starts at that moment is the real git or this one. */
  break(): void
  /**
   * Puts the real git first again. Only while no git starts: the shell that was about to read the
   * faulty one would read the real one.
   */
  rest(): void
}

let installed: Installed | undefined

/** Puts the faulty git before the real one, for this process and what it starts. */
export function installFaultyGit(): Installed {
  const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
  const folder = mkdtempSync(join(tmpdir(), "faulty-git-"))
  const script = `#!/bin/sh
real='${real}'
rest=\${PWD#*/coppice-test-}
fault=\${PWD%"$rest"}\${rest%%/*}/fault
if [ -n "$GIT_TERMINAL_PROMPT" ] && [ -e "$fault" ]; then . "$fault"; fi
exec "$real" "$@"
`
  const faulty = join(folder, "faulty")
  writeFileSync(faulty, script)
  chmodSync(faulty, 0o755)
  const choose = (program: string) => {
    const next = join(folder, "next")
    symlinkSync(program, next)
    renameSync(next, join(folder, "git"))
  }
  choose(real)
  const path = process.env["PATH"] ?? ""
  process.env["PATH"] = [folder, path].join(delimiter)
  installed = {
    break: () => choose(faulty),
    rest: () => choose(real),
    [Symbol.dispose]() {
      process.env["PATH"] = path
      installed = undefined
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return installed
}

export function breakGit(repo: TestRepo, fault: GitFault): void {
  writeFileSync(join(repo.folder, "fault"), LINES[fault])
  installed?.break()
}

/** @returns whether it was broken still. */
export function mendGit(repo: TestRepo): boolean {
  const path = join(repo.folder, "fault")
  const isBroken = existsSync(path)
  rmSync(path, { force: true })
  return isBroken
}
