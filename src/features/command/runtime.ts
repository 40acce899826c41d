/**
 * Runs any program as an agent: one run is one turn.
 *
 * The prompt arrives byte for byte in COPPICE_PROMPT, and on stdin unless the command's words name
 * it (config/agent-words.ts). Exit code 0 means that the turn is done, 75 that a person must decide
 * (the last line of output says what), and anything else that it failed. A next turn is a new run,
 * with its own prompt and COPPICE_TURN.
 */
import { join } from "node:path"
import { fillIn, holdsPrompt } from "../../config/agent-words.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { isMissing } from "../../kernel/process/find-program.ts"
import { readLines } from "../../kernel/process/lines.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import { writeWhole } from "../../kernel/process/plain-file.ts"
import { type Command, commandLine } from "../../kernel/process/run.ts"
import type { Runtime, SessionEnd, SessionStart, Turn } from "../../kernel/runtime/runtime.ts"

/** The exit code that asks for a person's decision: EX_TEMPFAIL of sysexits.h. */
const NEEDS_DECISION = 75
/** Linux refuses an argument or a variable of more than 128 KiB, including its end. */
const WORD_BYTES_MAX = 128 * 1024 - 1
const PROMPT_VARIABLE_BYTES_MAX = WORD_BYTES_MAX - "COPPICE_PROMPT=".length
/** One line of output; longer lines are split. */
const LINE_CHARS_MAX = 4_000
/** How many lines a failure quotes. */
const QUOTED_LINES_MAX = 20

export type CommandOptions = {
  readonly command: Command
  /** For the later turns of a conversation. Undefined: `command` again. */
  readonly resume?: readonly string[] | undefined
  /** The PATH on which `unavailable` looks for the program. */
  readonly path: string | undefined
}

export function commandRuntime({ command, resume = [], path }: CommandOptions): Runtime {
  const later = resume.length > 0 ? resume : command
  return {
    name: "command",
    account: () => null,
    unavailable: async () => {
      const programs = [command, later].map((one) => commandLine(one)[0])
      // A relative path starts at the worktree, so `run` will report it.
      const program = programs.find((name) => isMissing(name, path))
      if (program === undefined) return undefined
      const hints = ["Name a program that is on the PATH of Coppice, or its absolute path."]
      return { message: `there is no program ${program}`, hints }
    },
    holder: () => "command",
    interactive: () => ({
      kind: "none",
      reason: "its agent is a command, which has no conversation to open",
      hints: ["`coppice open <task>` prints its worktree."],
    }),
    run: (session) => runTurns({ command, later }, session),
  }
}

type Commands = { readonly command: Command; readonly later: Command }

async function runTurns({ command, later }: Commands, session: SessionStart): Promise<SessionEnd> {
  let next = session.conversation.resume ? later : command
  for (let turn: Turn | undefined = session.turn; turn; ) {
    if (session.signal.aborted) return { kind: "aborted" }
    const run = await runTurn(next, session, turn)
    if (run.kind !== "done") return run
    next = later
    const usage = { turns: 1, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
    turn = await session.endTurn({
      n: turn.n,
      message: run.message,
      usage: { ...usage, cacheWriteTokens: 0, costUsd: null },
      isHandoff: false,
    })
  }
  return session.signal.aborted ? { kind: "aborted" } : { kind: "ended" }
}

type TurnRun = { readonly kind: "done"; readonly message: string | null } | SessionEnd

async function runTurn(command: Command, session: SessionStart, turn: Turn): Promise<TurnRun> {
  const { signal } = session
  const { cwd } = session.place
  const line = typeof command === "string" ? command : wordsOf(command, session, turn)
  if (line === undefined) return { kind: "stuck", code: "failed", text: TOO_LONG }
  let owned: OwnedChild
  try {
    owned = await session.spawn(...commandLine(line), { cwd, env: turnEnv(session, turn) })
  } catch (error) {
    if (!(error instanceof UnstartableError) || error.transient) throw error
    return { kind: "stuck", code: "failed", text: error.message }
  }
  const abort = () => void owned.end() // settles with `exited`, which is awaited below
  signal.addEventListener("abort", abort)
  if (signal.aborted) abort()

  const lines = followOutput(owned, session)
  const isGiven = typeof command !== "string" && holdsPrompt(command)
  owned.child.stdin?.end(isGiven ? "" : turn.prompt) // a program may ignore its input
  const exit = await owned.exited
  signal.removeEventListener("abort", abort)
  return signal.aborted ? { kind: "aborted" } : judge(exit, lines)
}

const TOO_LONG =
  "The prompt does not fit into an argument of a program. Use {promptFile} in place of {prompt}."

/** Undefined: a word is longer than the system takes. */
function wordsOf(
  command: readonly string[],
  { conversation: { id }, place: { scratch } }: SessionStart,
  { n, prompt }: Turn,
): readonly string[] | undefined {
  const promptFile = join(scratch, "prompt.txt")
  if (command.some((word) => word.includes("{promptFile}"))) writeWhole(promptFile, prompt)
  const words = fillIn(command, { prompt, promptFile, session: id, turn: String(n) })
  const fits = (word: string) => Buffer.byteLength(word) <= WORD_BYTES_MAX && !word.includes("\0")
  return words.every(fits) ? words : undefined
}

function turnEnv(session: SessionStart, { n, prompt, phase }: Turn): Record<string, string> {
  const env = { ...session.place.env, COPPICE_TURN: String(n), COPPICE_PHASE: phase }
  // No environment can hold a NUL byte either.
  if (Buffer.byteLength(prompt) <= PROMPT_VARIABLE_BYTES_MAX && !prompt.includes("\0"))
    return { ...env, COPPICE_PROMPT: prompt }
  const text =
    "The prompt does not fit into COPPICE_PROMPT, which stays unset; stdin has all of it."
  session.report.event({ kind: "notice", text })
  return env
}

/** Reports every line of output. @returns the last non-empty lines, kept up to date. */
function followOutput({ child }: OwnedChild, session: SessionStart): readonly string[] {
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    readLines(stream, LINE_CHARS_MAX, (text) => {
      session.report.event({ kind: "output", text })
      if (text.trim() && last.push(text.trim()) > QUOTED_LINES_MAX) last.shift()
    })
  }
  return last
}

function judge({ code, signal }: Awaited<OwnedChild["exited"]>, lines: readonly string[]): TurnRun {
  const message = lines.at(-1) ?? null
  if (code === 0) return { kind: "done", message }
  if (code === NEEDS_DECISION) {
    const text = message ?? "the command asked for a decision without saying which"
    return { kind: "stuck", code: "needs_decision", text }
  }
  const quoted = lines.length === 0 ? "" : [":", ...lines].join("\n")
  if (code === null)
    return { kind: "stuck", code: "died", text: `the command was killed by ${signal}${quoted}` }
  return { kind: "stuck", code: "failed", text: `the command exited with ${code}${quoted}` }
}
