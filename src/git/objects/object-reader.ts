/**
 * A `git cat-file --batch-command` that stays for a while: one for each repository in use.
 *
 * Most of what is asked of git is where a ref stands and what an object holds. Starting a git for it
 * takes twenty times as long as the answer. What it says is as fresh as from a git of its own: refs
 * are looked up anew each time, and an object never changes. Where it cannot serve, the caller
 * starts a git as for anything else.
 */
import { findSignal } from "../aborting.ts"
import { keepCompany } from "../exec.ts"
import { GitSilentError } from "../silence.ts"
import { type FoundObject, ObjectAnswers, type ObjectQuestion } from "./object-answers.ts"
import { type RepositoryId, repositoryId } from "./repository-id.ts"

/** More repositories than this at once are served by gits of their own. */
const READERS_MAX = 4
/** From a question, or what it said last, to the next thing it says: then another one is asked. */
const SILENT_MS_MAX = 3_000
/** So long where nobody needs the answer any more: any git that is not stopped has given it by then. */
const UNWANTED_MS_MAX = 500
/** The disk may be slow. */
const SILENT_AGAIN_MS_MAX = 10_000
/** Where most objects lie elsewhere, to fetch one takes as long as it takes: not in here. */
const ENV = { GIT_NO_LAZY_FETCH: "1" }
/** Git says each answer in three pieces otherwise, and each wakes us. */
const CAT_FILE = ["cat-file", "--batch-command", "--buffer"]
const FLUSH = "flush"
/** It keeps files of the repository open: not for longer than a landing needs. */
const IDLE_MS_MAX = 10_000
/** The shell in between takes them byte by byte. */
const QUESTIONS_AT_ONCE_MAX = 64
/** It remembers each commit that it has seen. */
const QUESTIONS_MAX = 20_000

type Reader = {
  readonly folder: string
  readonly answers: ObjectAnswers
  readonly git: ReturnType<typeof keepCompany>
  asked: number
  heardAtMs: number
  isBusy: boolean
  idle: NodeJS.Timeout | undefined
}

const readers = new Map<string, Reader>()

/**
 * Asks about objects by id, by a commit's first parents (`~2`), by a tree and a plain path in it, or
 * by full ref name (`refs/heads/main^{commit}`).
 *
 * @param silentMsMax how long it may say nothing; where there is another number, another one is asked.
 * @returns in the order asked, each undefined where there is none; undefined when nobody can say.
 * @throws {GitSilentError} (world) when it says nothing for too long, and another one too.
 * @throws the reason of the caller's signal (aborting.ts), when it says nothing and nobody waits any more.
 */
export async function askObjects(
  cwd: string,
  questions: readonly ObjectQuestion[],
  silentMsMax: readonly number[] = [SILENT_MS_MAX, SILENT_AGAIN_MS_MAX],
): Promise<(FoundObject | undefined)[] | undefined> {
  const isServed = questions.every(({ name }) => isSharedName(name))
  if (!isServed || questions.length > QUESTIONS_AT_ONCE_MAX) return undefined
  const key = repositoryId(cwd)
  const reader = key && (readers.get(key.id) ?? open(key))
  if (!key || !reader) return undefined
  reader.isBusy = true
  clearTimeout(reader.idle)
  try {
    return await ask(reader, questions, silentMsMax[0] ?? 0)
  } catch (error) {
    close(key.id, reader)
    if (!(error instanceof GitSilentError)) return undefined // it has ended: another git says why
    // It is stopped, or waits for a disk that does not answer; it holds nothing that is anybody's.
    reader.git.kill()
    findSignal()?.throwIfAborted()
    const again = silentMsMax.slice(1)
    if (again.length === 0) throw error
    return await askObjects(cwd, questions, again)
  } finally {
    rest(key.id, reader)
  }
}

async function ask(reader: Reader, questions: readonly ObjectQuestion[], silentMsMax: number) {
  const signal = findSignal()
  const askedAtMs = performance.now()
  const silent = Promise.withResolvers<never>()
  const timer = setInterval(() => {
    const silentMs = performance.now() - Math.max(askedAtMs, reader.heardAtMs)
    const boundMs = signal?.aborted ? Math.min(silentMsMax, UNWANTED_MS_MAX) : silentMsMax
    if (silentMs > boundMs) silent.reject(new GitSilentError("cat-file", reader.folder, silentMs))
  }, Math.min(silentMsMax, UNWANTED_MS_MAX) / 5)
  try {
    return await Promise.race([answers(reader, questions), silent.promise])
  } finally {
    clearInterval(timer)
  }
}

async function answers(reader: Reader, questions: readonly ObjectQuestion[]) {
  reader.git.hold(true)
  reader.asked += questions.length
  const found = questions.map((question) => reader.answers.next(question))
  reader.git.say([...questions.map(({ verb, name }) => `${verb} ${name}`), FLUSH, ""].join("\n"))
  return await Promise.all(found)
}

/** The name means the same in every worktree, and is one line. */
function isSharedName(name: string): boolean {
  if (/^[0-9a-f]{40,64}(\^\{[a-z]+\}|~\d+|:[\w./@+-]+)?$/.test(name)) return true
  return /^refs\/(?!bisect\/|worktree\/|rewritten\/)[^\n\0]+$/.test(name)
}

function open({ id, folder }: RepositoryId): Reader | undefined {
  if (readers.size >= READERS_MAX && !closeIdle()) return undefined
  const answers = new ObjectAnswers()
  const onOutput = (chunk: Buffer) => {
    reader.heardAtMs = performance.now()
    answers.hear(chunk)
  }
  const git = keepCompany(folder, CAT_FILE, { env: ENV, onOutput })
  const state = { asked: 0, heardAtMs: 0, isBusy: true }
  const reader: Reader = { ...state, folder, answers, git, idle: undefined }
  readers.set(id, reader)
  void git.ended.then(() => {
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
  reader.git.hold(false)
  reader.idle = setTimeout(() => close(id, reader), IDLE_MS_MAX).unref()
}

function close(id: string, reader: Reader): void {
  clearTimeout(reader.idle)
  if (readers.get(id) === reader) readers.delete(id)
  reader.git.close()
}
