/**
 * Drives Codex by `codex exec`, for a program whose app server is missing or too old.
 *
 * One process is one turn: it has ended before a landing decides. It hears nothing and asks nothing while
 * it works. Its counts of tokens are of the turn in some versions and of the conversation in others, so
 * they are left out.
 */

import { Tail } from "../../kernel/process/end-of-output.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { readDocuments } from "../../kernel/process/lines.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import type { SessionEnd, SessionStart, Turn } from "../../kernel/runtime/runtime.ts"
import { firstPrompt } from "../runtimes/interrupted-prompt.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { completedEvents, failureOf, saidIn, startedEvents, usageOf } from "./events.ts"
import { codexOptions } from "./settings.ts"

/** Between TERM and KILL: the program needs a moment to end its own tools. */
const GRACE_MS = 2_000
/** The end of its errors, to quote when it fails. */
const STDERR_BYTES_MAX = 4_000
const UNKNOWN = /no rollout found|(thread|conversation|session) not found/i

/** @param program absolute path of the codex program. */
export async function runCodexExec(program: string, session: SessionStart): Promise<SessionEnd> {
  const { conversation, signal } = session
  const brief = await conversation.systemPrompt()
  const framed = (prompt: string) => [brief, prompt].filter((text) => text !== "").join("\n\n")
  let thread = conversation.resume ? conversation.programId : null
  let prompt = framed(thread === null ? await begin(session) : firstPrompt(session, true))
  for (let turn: Turn | undefined = session.turn; turn; ) {
    const { n }: Turn = turn
    if (signal.aborted) return { kind: "aborted" }
    const run = new CodexExecTurn({ program, session, n, thread, prompt })
    const end = await run.run()
    if (end.kind === "unknown") {
      thread = null
      prompt = framed(await begin(session))
      continue
    }
    if (end.kind !== "ended") return end
    thread = run.thread
    const usage = { ...usageOf({}), turns: 1 }
    turn = await session.endTurn({ n, message: run.message, usage, isHandoff: false })
    prompt = turn?.prompt ?? ""
  }
  return signal.aborted ? { kind: "aborted" } : { kind: "ended" }
}

/** @returns the first prompt of a new conversation. */
async function begin({ conversation, turn, report }: SessionStart): Promise<string> {
  if (!conversation.resume && !conversation.forkOf) return turn.prompt
  const text = "The program does not know the earlier conversation; a new one begins."
  report.event({ kind: "notice", text })
  return await conversation.freshPrompt()
}

type TurnStart = {
  readonly program: string
  readonly session: SessionStart
  readonly n: number
  /** The conversation that goes on; null: a new one. */
  readonly thread: string | null
  readonly prompt: string
}

class CodexExecTurn {
  thread: string | null
  message: string | null = null
  readonly #start: TurnStart
  readonly #stderr = new Tail(STDERR_BYTES_MAX)
  #owned: OwnedChild | undefined
  #failure: SessionEnd | undefined
  #isUnknown = false
  /** The program has opened the conversation. */
  #isOpen = false
  #isComplete = false

  constructor(start: TurnStart) {
    this.#start = start
    this.thread = start.thread
  }

  /** @returns `ended`: the turn is done. */
  async run(): Promise<SessionEnd | { readonly kind: "unknown" }> {
    const { session, prompt } = this.#start
    const { signal } = session
    try {
      this.#owned = await this.#spawn()
    } catch (error) {
      if (!(error instanceof UnstartableError) || error.transient) throw error
      return { kind: "stuck", code: "failed", text: error.message }
    }
    const { child } = this.#owned
    const abort = () => void this.#owned?.end(GRACE_MS) // settles with `exited`
    signal.addEventListener("abort", abort)
    if (signal.aborted) abort()
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk))
    if (child.stdout)
      readDocuments(child.stdout, (line) => this.#read(line), () => {}) // biome-ignore format: one call
    child.stdin?.on("error", () => {}) // the program has ended: its exit says so
    child.stdin?.end(prompt)
    const exit = await this.#owned.exited
    signal.removeEventListener("abort", abort)
    if (signal.aborted) return { kind: "aborted" }
    return this.#judge(exit)
  }

  async #spawn(): Promise<OwnedChild> {
    const { program, session, n, thread } = this.#start
    const { place, model, spawn } = session
    const args = [
      ...["exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"],
      ...codexOptions(session),
      ...(model ? ["-c", `model=${JSON.stringify(model)}`] : []),
      ...(thread === null ? [] : ["resume", thread]),
      "-", // the prompt is on standard input
    ]
    return await spawn(program, args, {
      cwd: place.cwd,
      env: { ...place.env, COPPICE_TURN: String(n) },
    })
  }

  #judge(exit: Awaited<OwnedChild["exited"]>): SessionEnd | { readonly kind: "unknown" } {
    const said = this.#stderr.text().trim()
    const isUnstarted = exit.code !== 0 && this.thread === null
    if (this.#isUnknown) return { kind: "unknown" }
    // A tool server of the program also speaks of sessions, which are its own.
    if (this.#start.thread !== null && !this.#isOpen && UNKNOWN.test(said))
      return { kind: "unknown" }
    if (this.#failure) return this.#failure
    if (exit.code === 0 && this.#isComplete) return { kind: "ended" }
    const how = exit.signal ?? `code ${exit.code}`
    const code = isUnstarted && exit.signal === null ? "failed" : "died"
    return { kind: "stuck", code, text: `codex exited (${how}) ${said}`.trim() }
  }

  #read(line: Fields): void {
    const { report } = this.#start.session
    const type = textOf(line["type"])
    if (type === "thread.started") this.#learn(textOf(line["thread_id"]))
    if (this.#isUnknown) return
    const item = itemOf(fieldsOf(line["item"]))
    if (type === "item.started") for (const event of startedEvents(item)) report.event(event)
    else if (type === "item.completed") {
      for (const event of completedEvents(item)) report.event(event)
      this.message = saidIn(item) || this.message
    } else if (type === "turn.completed") this.#isComplete = true
    else if (type === "turn.failed") this.#failure = failureIn(fieldsOf(line["error"]))
  }

  /** Older versions begin a new conversation in place of one that they do not know. */
  #learn(id: string): void {
    const { session, thread } = this.#start
    this.#isOpen = true
    if (id === thread) return
    this.#isUnknown = thread !== null
    if (this.#isUnknown) return void this.#owned?.end(GRACE_MS)
    this.thread = id
    session.conversation.learnId(id)
  }
}

/** The item as the app server names its parts. */
const itemOf = (item: Fields): Fields => ({
  ...item,
  type: textOf(item["type"]).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  exitCode: item["exit_code"],
  aggregatedOutput: item["aggregated_output"],
  changes: listOf(item["changes"]),
})

/** The failures of `codex exec` are plain text, with the status of the answer. */
function failureIn({ message }: Fields): SessionEnd {
  const said = textOf(message)
  const [, status] = /\bstatus:? (\d{3})\b/.exec(said) ?? []
  const isLimit = /usage limit/i.test(said)
  const isRefused = status === "401" || status === "403"
  const isDown = /^(429|5..)$/.test(status ?? "") || /stream disconnected|error sending/.test(said)
  const codexErrorInfo = isLimit
    ? "usageLimitExceeded"
    : isRefused
      ? "unauthorized"
      : isDown && "serverOverloaded"
  return failureOf({ message, codexErrorInfo }, [])
}
