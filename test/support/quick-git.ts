/**
 * Runs git and waits for it, as `execFileSync` does, for half of the processor's time.
 *
 * Node starts a child by copying its own page tables, and a worker of the tests has large ones. Here a
 * small shell starts git. It is asked through one named pipe and answers through another, since only
 * those can be read without leaving the current function.
 */
import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A shell that reads names of files with commands, and ends with the process that asks, which may be killed. */
const LOOP = `exec <asked >answers; dir=$PWD; cd /
while IFS= read -r file; do . "$dir/$file"; done
rm -r "$dir"`
const ANSWER_BYTES = 64 * 1024

type Shell = {
  readonly folder: string
  readonly asked: number
  readonly answers: number
  /** Starts the line that follows the output. */
  readonly word: string
  /** Two files take turns: the shell looks for more in the one that it has just run. */
  file: "one" | "other"
}

let shell: Shell | undefined

export type GitRun = {
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

/** @returns the output of git. @throws with what git wrote to stderr, if its exit code is not 0. */
export function quickGit(args: readonly string[], { cwd, env }: GitRun): Buffer {
  shell ??= startShell()
  const { folder, word } = shell
  shell.file = shell.file === "one" ? "other" : "one"
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  const command = [...variables, "git", ...args.map(quote)].join(" ")
  const run = `{ cd -P ${quote(cwd)} && ${command}; } </dev/null 2>"$dir/stderr"`
  const answer = `status=$?; cd /; printf '\\n%s %s\\n' ${word} $status`
  writeFileSync(join(folder, shell.file), `${run}; ${answer}\n`)
  writeSync(shell.asked, `${shell.file}\n`)
  const { stdout, status } = readAnswer(shell)
  if (status === 0) return stdout
  const stderr = readFileSync(join(folder, "stderr"), "utf8")
  throw Object.assign(new Error(`Command failed: git ${args.join(" ")}\n${stderr}`), {
    status,
    stdout: stdout.toString("utf8"),
    stderr,
  })
}

function startShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "quick-git-"))
  execFileSync("mkfifo", ["asked", "answers"], { cwd: folder })
  // No terminal, and no share in a Ctrl-C.
  const env = { PATH: process.env["PATH"] }
  const options = { cwd: folder, env, stdio: "ignore", detached: true } as const
  spawn("/bin/sh", ["-c", LOOP], options).unref()
  const asked = openSync(join(folder, "asked"), "w")
  const answers = openSync(join(folder, "answers"), "r")
  return { folder, asked, answers, word: randomUUID(), file: "one" }
}

function readAnswer({ answers, word }: Shell) {
  const end = new RegExp(`\\n${word} (\\d+)\\n$`)
  const chunks: Buffer[] = []
  for (let tail = ""; ; ) {
    const buffer = Buffer.allocUnsafe(ANSWER_BYTES)
    const bytes = readSync(answers, buffer)
    if (bytes === 0) throw new Error("the shell that starts git has ended")
    chunks.push(buffer.subarray(0, bytes))
    tail = (tail + buffer.toString("latin1", 0, bytes)).slice(-2 * word.length)
    const found = end.exec(tail)
    if (found === null) continue
    const all = Buffer.concat(chunks)
    return { stdout: all.subarray(0, -found[0].length), status: Number(found[1]) }
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
