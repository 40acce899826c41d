/** Repositories of many files, made by `git fast-import` in moments. */
import { execFileSync } from "node:child_process"
import { devNull } from "node:os"

/** As long as source files are, and always the same text: a large heap makes starting git slow. */
const LINES = "a line like any other\n".repeat(40)
const FILES_PER_FOLDER = 50
const AUTHOR = "a <a@example.com> 1000000000 +0000"

/** Git without user configuration, with an author. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: devNull,
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "c",
  GIT_COMMITTER_EMAIL: "c@example.com",
}

export type History = {
  /** Commits on top of a first one that holds all files, oldest first: the files each changes. */
  readonly [branch: string]: readonly (readonly number[])[]
}

/** @returns a function that runs git in the repository and gives back what it says, trimmed. */
export function generateRepo(path: string, files: number, branches: History): Git {
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", path], { env: GIT_ENV })
  const git: Git = (...args) =>
    execFileSync("git", args, { cwd: path, env: GIT_ENV, encoding: "utf8" }).trim()
  for (const setting of ["gc.auto=0", "user.name=c", "user.email=c@example.com"])
    git("config", ...(setting.split("=") as [string, string]))
  const input = fastImport(files, branches)
  execFileSync("git", ["fast-import", "--quiet"], { cwd: path, env: GIT_ENV, input })
  return git
}

export type Git = (...args: string[]) => string

function filePath(n: number): string {
  return `src/${Math.floor(n / FILES_PER_FOLDER)}/file-${n}.txt`
}

function fastImport(files: number, branches: History): string {
  const all = Array.from({ length: files }, (_, n) => n)
  const out = [
    commit(
      "main",
      1,
      all.map((n) => change(n, "first")),
    ),
  ]
  let mark = 1
  for (const [branch, commits] of Object.entries(branches)) {
    if (branch !== "main") out.push(`reset refs/heads/${branch}\nfrom :1\n\n`)
    for (const [n, changed] of commits.entries())
      out.push(
        commit(
          branch,
          ++mark,
          changed.map((file) => change(file, `${branch} ${n}`)),
        ),
      )
  }
  return out.join("")
}

function commit(branch: string, mark: number, changes: readonly string[]): string {
  return `commit refs/heads/${branch}\nmark :${mark}\ncommitter ${AUTHOR}\ndata 6\ncommit\n${changes.join("")}\n`
}

/** A file's content, with one line that tells its version. */
function change(n: number, version: string): string {
  const text = `file ${n}\n${LINES}${version}\n`
  return `M 100644 inline ${filePath(n)}\ndata ${text.length}\n${text}\n`
}
