/**
 * A `git cat-file --batch-command` that stays for a while: one for each repository in use.
 *
 * Most of what is asked of git is where a ref stands and what an object holds. Starting a git for it
 * takes twenty times as long as the answer. What it says is as fresh as from a git of its own: refs
 * are looked up anew each time, and an object never changes. Where it cannot serve, the caller
 * starts a git as for anything else.
 */
import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Conversation, converse } from "./exec.ts"
import { commonDirOf, findGitDir } from "./git-dir.ts"
import { type FoundObject, ObjectAnswers, type ObjectQuestion } from "./object-answers.ts"

/** More repositories than this at once are served by gits of their own. */
const READERS_MAX = 4
/** It keeps files of the repository open: not for longer than a landing needs. */
const IDLE_MS_MAX = 10_000
/** The shell in between takes them byte by byte. */
const QUESTIONS_AT_ONCE_MAX = 64
/** It remembers each commit that it has seen. */
const QUESTIONS_MAX = 20_000

type Reader = {
  readonly answers: ObjectAnswers
  readonly git: Promise<Conversation>
  asked: number
  isBusy: boolean
  idle: NodeJS.Timeout | undefined
}

const readers = new Map<string, Reader>()

/**
 * Asks about objects by id, by a tree and a plain path in it, or by full ref name
 * (`refs/heads/main^{commit}`).
 *
 * @returns in the order asked, each undefined where there is none; undefined when nobody can say.
 */
export async function askObjects(
  cwd: string,
  questions: readonly ObjectQuestion[],
): Promise<(FoundObject | undefined)[] | undefined> {
  const isServed = questions.every(({ name }) => isSharedName(name))
  if (!isServed || questions.length > QUESTIONS_AT_ONCE_MAX) return undefined
  const key = repositoryOf(cwd)
  const reader = key && (readers.get(key.id) ?? open(key))
  if (!key || !reader) return undefined
  reader.isBusy = true
  clearTimeout(reader.idle)
  try {
    return await ask(reader, questions)
  } catch {
    close(key.id, reader) // it has ended: the git that is started instead says why
    return undefined
  } finally {
    rest(key.id, reader)
  }
}

async function ask(reader: Reader, questions: readonly ObjectQuestion[]) {
  const git = await reader.git
  git.hold(true)
  reader.asked += questions.length
  const found = questions.map((question) => reader.answers.next(question))
  git.say(questions.map(({ verb, name }) => `${verb} ${name}\n`).join(""))
  return await Promise.all(found)
}

/** The name means the same in every worktree, and is one line. */
function isSharedName(name: string): boolean {
  if (/^[0-9a-f]{40,64}(\^\{[a-z]+\}|:[\w./@+-]+)?$/.test(name)) return true
  return /^refs\/(?!bisect\/|worktree\/|rewritten\/)[^\n\0]+$/.test(name)
}

type Repository = { readonly id: string; readonly folder: string }

/** What git reads when it starts, and not again. */
const READ_AT_START = ["config", "objects/info/alternates"]

/** By the very folder: another repository may be made in the same place, or this one be changed. */
function repositoryOf(cwd: string): Repository | undefined {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return undefined
  const common = commonDirOf(gitDir)
  const { ino, birthtimeMs } = statSync(common)
  const changes = READ_AT_START.map((name) => changedAt(join(common, name)))
  const folder = basename(common) === ".git" ? dirname(common) : common
  return { id: [common, ino, birthtimeMs, ...changes].join("\0"), folder }
}

function changedAt(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs}` : ""
}

function open({ id, folder }: Repository): Reader | undefined {
  if (readers.size >= READERS_MAX && !closeIdle()) return undefined
  const answers = new ObjectAnswers()
  const onOutput = (chunk: Buffer) => answers.hear(chunk)
  const git = converse(folder, ["cat-file", "--batch-command"], { onOutput })
  const reader: Reader = { answers, git, asked: 0, isBusy: true, idle: undefined }
  readers.set(id, reader)
  git
    .then(({ ended }) => ended)
    .catch(() => {}) // it could not be started: whoever asks is told
    .finally(() => {
      answers.end()
      close(id, reader)
    })
  return reader
}

/** @returns whether one could be closed. */
function closeIdle(): boolean {
  const [found] = [...readers].filter(([, { isBusy }]) => !isBusy)
  if (found) close(...found)
  return found !== undefined
}

function rest(id: string, reader: Reader): void {
  if (reader.answers.isWaiting) return
  reader.isBusy = false
  clearTimeout(reader.idle)
  if (reader.asked >= QUESTIONS_MAX) close(id, reader)
  reader.git.then(
    ({ hold }) => {
      if (!reader.isBusy) hold(false)
    },
    () => {}, // told to whoever asked
  )
  reader.idle = setTimeout(() => close(id, reader), IDLE_MS_MAX).unref()
}

function close(id: string, reader: Reader): void {
  clearTimeout(reader.idle)
  if (readers.get(id) === reader) readers.delete(id)
  reader.git.then(
    (git) => git.close(),
    () => {}, // it never started
  )
}
