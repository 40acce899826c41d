/**
 * A bare clone in which everything is replayed: the repository it is of is only read.
 *
 * It borrows the repository's objects, so making it takes moments; what a replay adds is its own.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import { GIT_ENV } from "../bench/generated-repo.ts"
import type { Oid } from "../src/base/ids.ts"

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

export type GitAnswer = { readonly exitCode: number; readonly stdout: string }

export class ScratchClone {
  readonly path: string

  /** @param folder an empty one, removed by the caller. */
  constructor(source: string, folder: string) {
    this.path = join(folder, "clone.git")
    const clone = ["clone", "--quiet", "--bare", "--shared", "--no-tags", "--single-branch"]
    runGit(folder, [...clone, "--", source, this.path])
    for (const [key, value] of Object.entries({ "gc.auto": "0", "user.name": "c" }))
      this.git("config", key, value)
    this.git("config", "user.email", "c@example.com")
  }

  /** @returns the output of git, trimmed. */
  git(...args: string[]): string {
    return runGit(this.path, args)
  }

  /** For commands whose exit code is an answer. */
  ask(cwd: string, ...args: string[]): GitAnswer {
    const options = { cwd, env: GIT_ENV, encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX } as const
    const { status, stdout, error } = spawnSync("git", args, options)
    if (error) throw error
    return { exitCode: status ?? 128, stdout: stdout.trim() }
  }

  tree(commit: string): Oid {
    return this.git("rev-parse", `${commit}^{tree}`) as Oid
  }
}

/** @throws git's error if it fails. */
export function runGit(cwd: string, args: readonly string[]): string {
  const options = { cwd, env: GIT_ENV, encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX } as const
  return execFileSync("git", args, { ...options, stdio: ["ignore", "pipe", "pipe"] }).trim()
}
