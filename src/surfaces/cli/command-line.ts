/**
 * The command line: finds the command, runs it, turns errors into words and an exit code.
 *
 * 0 done · 1 the task or the world failed · 2 usage or configuration · 70 a bug
 */

import type { ReadStream } from "node:tty"
import type { ReadEnded } from "../../api/client/connect.ts"
import type { OtherDaemon } from "../../api/client/other-daemon.ts"
import type { DaemonOptions } from "../../api/wire/daemon-options.ts"
import type { HelpDocument, VersionDocument } from "../../api/wire/home.ts"
import { AppError, BugError, exitCodeFor, toErrorDocument } from "../../base/errors.ts"
import { asksForHelp, commandAt, parseArguments, splitCommand } from "./arguments.ts"
import type { Shell, Values } from "./command.ts"
import { COMMANDS, type Listed } from "./commands.ts"
import type { Place } from "./complete-values.ts"
import { HELP_HINT, UsageError } from "./errors.ts"
import { Output, type Stream } from "./output.ts"

/** The process that the command line runs in. */
export type Surroundings = {
  /** @throws if the folder was removed. */
  cwd(): string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<unknown>
  /** Undefined without a terminal. */
  readonly askLine?: ((question: string) => Promise<string>) | undefined
  /** Standard input, if it is a terminal. */
  readonly keyboard?: ReadStream | undefined
  readonly stdout: Stream
  readonly stderr: Stream
  readonly onInterrupt: Shell["onInterrupt"]
  runDaemon(start: DaemonOptions): Promise<number>
  readonly runTorture: Shell["runTorture"]
  readonly serveMcp: Shell["serveMcp"]
  readonly listHomes: Shell["listHomes"]
  readonly uninstallHome: Shell["uninstallHome"]
  readonly readNames: Place["readNames"]
  /** Answers a read of a home whose daemon was ended. */
  readonly readEnded: ReadEnded
}

/** @param args the words after the program's name. @returns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  around: Surroundings,
): Promise<number> {
  const json = wantsJson(args)
  const output = new Output(around, { json, env: around.env })
  try {
    if (asksForVersion(args)) return await printVersion(output, json)
    if (args[0] === "complete") return await printCandidates(args, output, around)
    const isHelp = args.find(isWord) === "help"
    const named = isHelp ? [...args.filter((arg) => arg !== "help"), "--help"] : args
    const topic = isHelp ? await topicHelp(named) : undefined
    if (topic !== undefined) {
      printHelp(output, json, topic)
      return 0
    }
    const found = splitCommand(named, COMMANDS)
    if (found) return await runCommand(found.listed, found.rest, { output, json, around })
    const wantsHelp = asksForHelp(named)
    if (json && !wantsHelp) throw new UsageError("A command is needed.", [HELP_HINT])
    printHelp(output, json, await helpFor(named))
    return wantsHelp ? 0 : 2
  } catch (error) {
    return reportError(output, json, error)
  }
}

/** `coppice help landing`; undefined if the word is a command's. */
async function topicHelp(args: readonly string[]): Promise<string | undefined> {
  const topic = args[commandAt(args)]
  if (topic === undefined || COMMANDS.some(({ name }) => name.split(" ")[0] === topic))
    return undefined
  const { aboutTopic, nearTopic } = await import("./help.ts")
  const about = aboutTopic(topic, COMMANDS)
  const near = about === undefined ? nearTopic(topic) : undefined
  if (near === undefined) return about
  throw new UsageError(`There is no topic \`${topic}\`; did you mean \`${near}\`?`, [
    "`coppice help --all` lists the commands and topics.",
  ])
}

const VERSION = ["--version", "-v", "-V"]

function asksForVersion(args: readonly string[]): boolean {
  const words = args.filter(isWord)
  return words.length === 0 ? args.some((arg) => VERSION.includes(arg)) : words.join() === "version"
}

/** @param args without a command, or with the first word of one. */
async function helpFor(args: readonly string[]): Promise<string> {
  const { overview, overviewOf, overviewOfAll } = await import("./help.ts")
  const half = args[commandAt(args)]
  if (half !== undefined) return overviewOf(half, COMMANDS)
  return args.includes("--all") ? overviewOfAll(COMMANDS) : overview(COMMANDS)
}

const AT_WORK =
  "The daemon is still working on this. Ctrl-C only stops waiting; run the command again to resume."

type Setting = { readonly output: Output; readonly json: boolean; readonly around: Surroundings }

async function runCommand(listed: Listed, args: readonly string[], setting: Setting) {
  const { command } = await listed.load()
  const { positionals, values } = parseArguments(args, listed.name, command.options)
  if (values["help"]) {
    const { describe } = await import("./help.ts")
    printHelp(setting.output, setting.json, describe(listed, command))
    return 0
  }
  const shell = shellFor(values, setting)
  const run = async () => {
    try {
      return await command.run(shell, positionals, values)
    } catch (error) {
      if (!(await isNowTrusted(shell, error))) throw error
      return await command.run(shell, positionals, values)
    }
  }
  for (let moves = 0; ; moves++) {
    try {
      return await run()
    } catch (error) {
      if (moves === MOVES_MAX || !(await isNowFollowed(shell, error))) throw error
    }
  }
}

/** Two homes that changed places: the state of one is set aside, and that of the other comes. */
const MOVES_MAX = 2

/**
 * A command in a folder that moved, or that is new at its place, has done nothing yet. The state comes
 * along or is set aside, and the command runs again.
 */
async function isNowFollowed({ env, output }: Shell, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError) || !["home.moved", "home.replaced"].includes(error.code))
    return false
  const [{ HomeMovedError, HomeReplacedError }, { refuseAgents }, { adoptState, setAside }] =
    await Promise.all([
      import("../../api/client/moved-home.ts"),
      import("../../api/client/connect.ts"),
      import("../../api/client/move-state.ts"),
    ])
  if (error instanceof HomeReplacedError) {
    refuseAgents(env)
    await setAside(error)
    output.note(`coppice: ${error.message} They are kept in ${error.aside}.`)
    return true
  }
  if (!(error instanceof HomeMovedError) || !error.isSame) return false
  refuseAgents(env)
  await adoptState(error.moved)
  output.note(`coppice: ${error.message}`)
  return true
}

/** A command refused for lack of trust has done nothing yet. On a terminal we ask, then run it again. */
async function isNowTrusted(shell: Shell, error: unknown): Promise<boolean> {
  if (!shell.askLine || !(error instanceof AppError) || error.code !== "trust.needed") return false
  const { command } = await import("../../features/trust/command.ts")
  return (await command.run(shell, [], {})) === 0
}

function shellFor(values: Values, { output, json, around }: Setting): Shell {
  const { env, stdin, askLine, onInterrupt, runDaemon, runTorture, serveMcp } = around
  const { listHomes, uninstallHome } = around
  const cwd = currentFolder(around)
  const home = typeof values["home"] === "string" ? values["home"] : undefined
  const shell: Shell = {
    output,
    json,
    cwd,
    env,
    home,
    get nowMs() {
      return Date.now()
    },
    askLine: json ? undefined : askLine,
    keyboard: around.keyboard,
    onInterrupt,
    runDaemon,
    runTorture,
    serveMcp,
    listHomes,
    uninstallHome,
    async connect() {
      const { connect } = await import("../../api/client/connect.ts")
      const { readEnded } = around
      const onAccepted = () => output.note(AT_WORK)
      const onOtherDaemon = async (other: OtherDaemon) => {
        const { otherDaemonLines } = await import("./format/status.ts")
        for (const line of otherDaemonLines(other)) output.note(line)
      }
      return connect({ cwd, env, home, onAccepted, onOtherDaemon, readEnded })
    },
    readStdin: async () => (await readBytes(stdin, Number.POSITIVE_INFINITY)).toString("utf8"),
    readStdinBytes: (bytesMax) => readBytes(stdin, bytesMax),
    async runCommand(words, operands) {
      const { runCommand } = await import("./run-command.ts")
      return runCommand(shell, words, operands)
    },
  }
  return shell
}

async function readBytes(from: Surroundings["stdin"], bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of from) {
    const next = Buffer.from(chunk as Uint8Array)
    bytes += next.length
    if (bytes > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`)
    chunks.push(next)
  }
  return Buffer.concat(chunks)
}

function currentFolder({ cwd }: Surroundings): string {
  try {
    return cwd()
  } catch (cause) {
    throw new UsageError("The current folder no longer exists.", ["`cd` to another folder."], {
      cause,
    })
  }
}

function reportError(output: Output, json: boolean, error: unknown): number {
  const document = toErrorDocument(error)
  const { blame, message, hints } = document.error
  // One line: it may be the last of a stream of documents.
  if (json) output.documentLine(document)
  else {
    output.note(`coppice: ${message}`)
    for (const hint of hints) output.note(`  ${hint}`)
  }
  if (blame === "bug") output.note(`This is a bug in Coppice. ${whereIn(error)}`)
  return exitCodeFor(blame)
}

/** The stack of a daemon bug is in the daemon's log; the stack here does not help. */
function whereIn(error: unknown): string {
  const isOurs = error instanceof BugError || !(error instanceof AppError)
  return isOurs && error instanceof Error ? (error.stack ?? "") : "See the daemon's log."
}

async function printVersion(output: Output, json: boolean): Promise<number> {
  const { readVersion } = await import("../../api/client/daemon-address.ts")
  const document: VersionDocument = { version: readVersion() }
  if (json) output.document(document)
  else output.line(document.version)
  return 0
}

/** `complete -- <words>`: for the scripts of `completion`, and in no help. */
async function printCandidates(
  args: readonly string[],
  output: Output,
  around: Surroundings,
): Promise<number> {
  const { complete } = await import("./complete.ts")
  const { env, readNames } = around
  const words = args.slice(args.indexOf("--") + 1)
  const document = await complete(words, { cwd: currentFolder(around), env, readNames })
  const { candidates, paths } = document
  const lines = candidates.map(({ value, about }) => (about ? `${value}\t${about}` : value))
  if (wantsJson(args)) output.document(document)
  else output.lines(paths ? [...lines, `:${paths}`] : lines)
  return 0
}

function printHelp(output: Output, json: boolean, help: string): void {
  const document: HelpDocument = { help }
  if (json) output.document(document)
  else output.line(help)
}

/** Read before parsing, so that parse errors are printed as JSON too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).includes("--json")
}

function isWord(arg: string): boolean {
  return !arg.startsWith("-")
}
