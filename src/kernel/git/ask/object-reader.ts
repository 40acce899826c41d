/**
 * `git cat-file --batch-command`: reads objects and refs. One git for each repository in use stays
 * for a while, because starting a git takes twenty times as long as the answer.
 *
 * Its answers are as fresh as those of a new git: it looks up refs each time, and an object never
 * changes. It fetches nothing in a partial clone. For a folder that is not the root of a usual
 * worktree, a separate git answers.
 */

import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert } from "../../../base/assert.ts"
import { baseEnvironment } from "../start/environment.ts"
import { GitStartError } from "../start/errors.ts"
import { git, startLongRunning } from "../start/exec.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { GitTimeoutError } from "../start/limits.ts"
import { type FoundObject, ObjectAnswers, type ObjectQuestion } from "./object-answers.ts"

/** Above this number we close an idle reader; busy ones may exceed it. */
const READERS_KEPT = 4
/** Longest silence of git before we kill it. A cancelled landing waits this long at most. */
const ANSWER_MS_MAX = 10_000
/** `--buffer`: otherwise git writes each answer in three pieces, and each wakes us. */
const CAT_FILE = ["cat-file", "--batch-command", "--buffer"]
/** A reader keeps files of the repository open, so it stays no longer than a landing needs. */
const IDLE_MS_MAX = 10_000
/** Bounds the answers held in memory. */
const QUESTIONS_AT_ONCE_MAX = 64
/** Git's memory grows with each commit that it reads. */
const QUESTIONS_MAX = 20_000

type Reader = {
  readonly folder: string
  readonly answers: ObjectAnswers
  readonly git: ReturnType<typeof startLongRunning>
  asked: number
  lastOutputAtMs: number
  idle: NodeJS.Timeout | undefined
}

const readers = new Map<string, Reader>()

/** Whether a name means the same in every worktree, and is one line: see {@link askObjects}. */
export function isSharedName(name: string): boolean {
  if (/^[0-9a-f]{40,64}(\^\{[a-z]+\}|:[\w./@+-]+)?$/.test(name)) return true
  return /^refs\/(?!bisect\/|worktree\/|rewritten\/)[^\n\0]+$/.test(name)
}

/**
 * Asks about objects by id, by a tree and a plain path in it, or by full ref name
 * (`refs/heads/main^{commit}`).
 *
 * @returns in the order asked, undefined for a missing object.
 * @throws {GitTimeoutError} if git is silent for longer than `answerMsMax`.
 * @throws {OutputTooLongError} @throws {GitStartError}
 */
export async function askObjects(
  cwd: string,
  questions: readonly ObjectQuestion[],
  answerMsMax = ANSWER_MS_MAX,
): Promise<(FoundObject | undefined)[]> {
  assert(
    questions.every(({ name }) => isSharedName(name)),
    "the name means the same in every worktree",
  )
  const found: (FoundObject | undefined)[] = []
  for (let at = 0; at < questions.length; at += QUESTIONS_AT_ONCE_MAX) {
    const some = questions.slice(at, at + QUESTIONS_AT_ONCE_MAX)
    found.push(...(await askSome(cwd, some, answerMsMax)))
  }
  return found
}

async function askSome(cwd: string, questions: readonly ObjectQuestion[], answerMsMax: number) {
  const key = repositoryId(cwd)
  if (!key) return await askOnce(cwd, questions)
  try {
    return await ask(key, questions, answerMsMax)
  } catch (error) {
    // Git ended because of another caller's question, or by a signal.
    if (error instanceof GitStartError) return await ask(key, questions, answerMsMax)
    throw error
  }
}

/** Asks a separate git. */
async function askOnce(cwd: string, questions: readonly ObjectQuestion[]) {
  const answers = new ObjectAnswers()
  const found = questions.map((question) => answers.next(question))
  const { stdout } = await git(cwd, CAT_FILE, { stdin: linesOf(questions) })
  assert(stdout !== "" || questions.length === 0, "cat-file answers each question")
  answers.push(Buffer.from(stdout, "latin1"))
  answers.end()
  return await Promise.all(found)
}

async function ask(key: RepositoryId, questions: readonly ObjectQuestion[], answerMsMax: number) {
  const reader = readers.get(key.id) ?? open(key)
  clearTimeout(reader.idle)
  const askedAtMs = performance.now()
  const timer = setInterval(() => {
    const silentMs = performance.now() - Math.max(askedAtMs, reader.lastOutputAtMs)
    if (silentMs <= answerMsMax) return
    clearInterval(timer)
    reader.answers.end(new GitTimeoutError("cat-file", reader.folder, answerMsMax))
  }, answerMsMax / 20)
  try {
    reader.git.keepAlive(true)
    reader.asked += questions.length
    const found = questions.map((question) => reader.answers.next(question))
    reader.git.writeLines(linesOf(questions))
    return await Promise.all(found)
  } catch (error) {
    close(key.id, reader)
    reader.git.signal("SIGKILL") // git hangs on a disk or pipe, or answers too much; it has no lock
    throw error
  } finally {
    clearInterval(timer)
    startIdleTimer(key.id, reader)
  }
}

const linesOf = (questions: readonly ObjectQuestion[]): string =>
  [...questions.map(({ verb, name }) => `${verb} ${name}`), "flush", ""].join("\n")

/**
 * GIT_DIR names the repository, because git does not search for a bare one (`safe.bareRepository`).
 */
function open({ id, folder, gitDir }: RepositoryId): Reader {
  if (readers.size >= READERS_KEPT) closeIdle()
  const answers = new ObjectAnswers()
  const onOutput = (chunk: Buffer) => {
    reader.lastOutputAtMs = performance.now()
    answers.push(chunk)
  }
  const whole = { ...baseEnvironment(process.env), GIT_DIR: gitDir }
  const git = startLongRunning(folder, CAT_FILE, { whole, onOutput })
  const reader: Reader = { folder, answers, git, asked: 0, lastOutputAtMs: 0, idle: undefined }
  readers.set(id, reader)
  const ended = (error?: Error) => {
    answers.end(error)
    close(id, reader)
  }
  git.ended.then(() => ended(), ended)
  return reader
}

function closeIdle(): void {
  const [found] = [...readers].filter(([, { answers }]) => !answers.isWaiting)
  if (found) close(...found)
}

/** Closes a reader later that no caller waits for, or at once if it has answered enough. */
function startIdleTimer(id: string, reader: Reader): void {
  if (reader.answers.isWaiting) return
  reader.git.keepAlive(false)
  if (readers.get(id) !== reader) return // the reader is closed
  clearTimeout(reader.idle)
  if (reader.asked >= QUESTIONS_MAX) close(id, reader)
  else reader.idle = setTimeout(() => close(id, reader), IDLE_MS_MAX).unref()
}

function close(id: string, reader: Reader): void {
  clearTimeout(reader.idle)
  if (readers.get(id) === reader) readers.delete(id)
  reader.git.close()
}

/**
 * `folder`: where to start a git for all its worktrees. `gitDir`: the directory that they share.
 */
type RepositoryId = { readonly id: string; readonly folder: string; readonly gitDir: string }

/** Files that git reads only when it starts. */
const READ_AT_START = ["config", "objects/info/alternates"]

/**
 * Tells repositories apart by inode and birth time, as another may replace this one in its place.
 *
 * @returns undefined if `cwd` is not the root of a usual worktree.
 */
function repositoryId(cwd: string): RepositoryId | undefined {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return undefined
  const common = commonDirOf(gitDir)
  const found = statSync(common, { throwIfNoEntry: false })
  if (!found) return undefined // the repository has just gone
  const { ino, birthtimeMs } = found
  const changes = READ_AT_START.map((name) => changedAt(join(common, name)))
  const folder = basename(common) === ".git" ? dirname(common) : common
  return { id: [common, ino, birthtimeMs, ...changes].join("\0"), folder, gitDir: common }
}

function changedAt(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs}` : ""
}
