/**
 * Decides what an agent may do without asking: rules by tool and pattern. Pure.
 *
 * A rule is a tool's name, `Bash`, or a name and a pattern, `Bash(git push *)`, `Write(/etc/**)`.
 * `*` stands for any text, also in names: `mcp__tracker__*`. A `deny` wins over an `ask`, and
 * that over an `allow`. Rules prevent an agent's mistakes; only a container stops an enemy.
 */
import { toJson } from "../../base/text/shown.ts"
import type { ToolUse } from "../../kernel/runtime/runtime.ts"
import { listCommands, type ShellCommand } from "./rules/shell-commands.ts"

export type Decision = "allow" | "ask" | "deny"

export type Permissions = {
  readonly default: Decision
  readonly allow: readonly string[]
  readonly ask: readonly string[]
  readonly deny: readonly string[]
}

type Matcher = (text: string) => boolean
type Rule = { readonly tool: Matcher; readonly pattern: Matcher | undefined }

/** @returns undefined if the text is not a rule. */
export function parseRule(text: string): Rule | undefined {
  const match = /^([\w*-]+)(?:\((.+)\))?$/s.exec(text.trim())
  const tool = match?.[1]
  if (tool === undefined) return undefined
  const pattern = match?.[2]
  return { tool: toMatcher(tool), pattern: pattern === undefined ? undefined : toMatcher(pattern) }
}

/** Whether any rule can have an effect; else the use of tools needs no check. */
export function isGuarded(permissions: Permissions): boolean {
  return permissions.default !== "allow" || permissions.ask.length + permissions.deny.length > 0
}

/**
 * @param cwd the agent's worktree: paths in it are also known relative to it.
 * @param reached where `pathOf` the use leads through links. A rule that denies or asks fits either path,
 * and in the worktree a rule must allow both.
 */
export function decide(
  permissions: Permissions,
  use: ToolUse,
  cwd: string,
  reached?: string,
): Decision {
  const { names, parts } = withReached(subjectsOf(use, cwd), { cwd, reached })
  if (matchesAny(permissions.deny, use.tool, names)) return "deny"
  if (matchesAny(permissions.ask, use.tool, names)) return "ask"
  const isAllowed = parts.every((part) => matchesAny(permissions.allow, use.tool, part))
  return isAllowed ? "allow" : permissions.default
}

type Subjects = {
  /** A rule that denies or asks matches if it fits any of these. */
  readonly names: readonly string[]
  /** Several commands are allowed if each one is, by one of its names. */
  readonly parts: readonly (readonly string[])[]
}

function matchesAny(rules: readonly string[], tool: string, names: readonly string[]): boolean {
  return rules.some((text) => {
    const rule = parseRule(text)
    if (!rule?.tool(tool)) return false
    const { pattern } = rule
    return !pattern || names.some((name) => pattern(name))
  })
}

const PATHS = ["file_path", "notebook_path", "path"]

/** The file or folder that it is about. */
export function pathOf({ input }: Pick<ToolUse, "input">): string | undefined {
  if (typeof input["command"] === "string") return undefined
  return PATHS.map((key) => input[key]).find((value) => typeof value === "string")
}

type Reached = { readonly cwd: string; readonly reached: string | undefined }

function withReached(own: Subjects, { cwd, reached }: Reached): Subjects {
  if (reached === undefined) return own
  const others = namesOf(reached, cwd)
  const isInside = own.names.some((name) => name.startsWith(`${cwd}/`))
  return {
    names: [...own.names, ...others],
    parts: isInside ? [...own.parts, others] : own.parts,
  }
}

function subjectsOf({ input }: ToolUse, cwd: string): Subjects {
  const { command, url, query } = input
  if (typeof command === "string") {
    const rough = commandsIn(command)
    const pieces = rough.length > 0 ? rough : [command]
    // Also each piece alone: a quote in a comment or in a document changes how the rest is read.
    const isShort = command.length <= SHOWN_CHARS_MAX
    const read = isShort ? [command, ...pieces].flatMap(listCommands) : []
    const inside = read.flatMap(({ words, isInside }) => (isInside ? [words.join(" ")] : []))
    const names = [command, ...pieces, ...pieces.map(bare), ...read.flatMap(namesOfCommand)]
    const parts = [...new Set([...pieces, ...inside])]
    return { names: [...new Set(names)], parts: parts.map((part) => [part]) }
  }
  const path = pathOf({ input })
  if (path !== undefined) {
    const names = namesOf(path, cwd)
    return { names, parts: [names] }
  }
  const said = [url, query].find((value) => typeof value === "string")
  const names = [typeof said === "string" ? said : JSON.stringify(input)]
  return { names, parts: [names] }
}

/** The absolute path, and inside the worktree the relative one, both without `.` and `..`. */
function namesOf(path: string, cwd: string): string[] {
  const names: string[] = []
  for (const name of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  const whole = `/${names.join("/")}`
  return whole.startsWith(`${cwd}/`) ? [whole, whole.slice(cwd.length + 1)] : [whole]
}

/** The simple commands of a shell line, roughly: the parts between its separators. */
function commandsIn(line: string): string[] {
  return line
    .split(/&&|\|\||[;|&\n`]|\$\(|\(|\)/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

const KEYWORD = "[!{]|if|then|elif|else|while|until|do|time|exec|command|nohup|sudo|env"
const VARIABLE = `[A-Za-z_]\\w*=(?:"[^"]*"|'[^']*'|[^\\s"'])*`
const BEFORE = new RegExp(`^(?:(?:${KEYWORD}|${VARIABLE})\\s+)+`)

/** As it reads without quotes, and by the name of its program without a folder. */
function namesOfCommand({ words }: ShellCommand): string[] {
  const [program = "", ...rest] = words
  return [words.join(" "), [program.split("/").at(-1), ...rest].join(" ")]
}

/** A command without the words and variables before it, and without needless blanks. */
function bare(command: string): string {
  return command.replace(BEFORE, "").replace(/\s+/g, " ")
}

/** Runs in linear time: an agent chooses the length of the text, and the daemon waits. */
function toMatcher(pattern: string): Matcher {
  const pieces = pattern.split(/\*+/)
  if (!pattern.endsWith(" *")) return (text) => fits(pieces, text)
  // `git push *` is also `git push` alone.
  const alone = pattern.slice(0, -2).split(/\*+/)
  return (text) => fits(pieces, text) || fits(alone, text)
}

function fits(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? ""
  const last = pieces.at(-1) ?? ""
  if (pieces.length === 1) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at + last.length <= text.length
}

/** A person cannot read and answer more than this. */
const SHOWN_CHARS_MAX = 64 * 1024
/** The most telling keys of a use; they come first. */
const FOREMOST = ["command", ...PATHS, "url"]

/**
 * The whole use in words, for a person to judge: every key of its input. Displays mark what is invisible (shown.ts).
 *
 * @returns undefined if it is too long to show, so that it cannot be allowed.
 */
export function describeUse({ tool, input }: ToolUse): string | undefined {
  const foremost = FOREMOST.find((key) => typeof input[key] === "string")
  // No line of a command looks like another key.
  const first = foremost === undefined ? "" : `: ${asBlock(String(input[foremost]))}`
  const others = Object.entries(input).filter(([key]) => key !== foremost)
  const lines = others.map(([key, value]) => `  ${toJson(key)}: ${toJson(value)}`)
  const text = [`use ${/^[\w-]+$/.test(tool) ? tool : toJson(tool)}${first}`, ...lines].join("\n")
  return text.length > SHOWN_CHARS_MAX ? undefined : text
}

const asBlock = (text: string): string => text.replaceAll("\n", "\n  | ")
