/**
 * Lists the simple commands of a shell line, for rules on commands. Pure.
 *
 * It reads quotes, substitutions and redirections as a shell does, and looks through programs that run
 * another one: `sh -c '…'`, `sudo`, `xargs`. It knows no values of variables, no functions and no files,
 * so a rule on commands prevents mistakes and stops no enemy.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html
 */
import { commandInside } from "./command-inside.ts"

export type ShellCommand = {
  /** Without quotes, redirections, keywords and variables before it. */
  readonly words: readonly string[]
  /** Whether another program runs it. */
  readonly isInside: boolean
}

/** Each level reads its text again, and a person writes fewer. */
const DEPTH_MAX = 8

const KEYWORD = /^([!{}]|if|then|elif|else|fi|while|until|do|done)$/
const VARIABLE = /^[A-Za-z_]\w*\+?=/

/** All commands of the line, those inside of others included. */
export function listCommands(line: string): readonly ShellCommand[] {
  const found: ShellCommand[] = []
  addScript(line, { found, depth: 0, isInside: false })
  return found
}

type Adding = {
  readonly found: ShellCommand[]
  readonly depth: number
  readonly isInside: boolean
}

function addScript(text: string, adding: Adding): void {
  if (adding.depth > DEPTH_MAX) return
  let command: string[] = []
  for (const part of partsOf(text)) {
    if (part.kind === "word") command.push(part.text)
    else if (part.kind === "script") addScript(part.text, { ...adding, depth: adding.depth + 1 })
    else {
      addCommand(command, adding)
      command = []
    }
  }
  addCommand(command, adding)
}

function addCommand(all: readonly string[], { found, depth, isInside }: Adding): void {
  const first = all.findIndex((word) => !KEYWORD.test(word) && !VARIABLE.test(word))
  if (first < 0 || depth > DEPTH_MAX) return
  const words = all.slice(first)
  found.push({ words, isInside })
  const inside = { found, depth: depth + 1, isInside: true }
  for (const other of commandInside(words)) {
    if (typeof other === "string") addScript(other, inside)
    else addCommand(other, inside)
  }
}

type Part =
  | { readonly kind: "word" | "script"; readonly text: string }
  /** The end of a simple command. */
  | { readonly kind: "end" }

function* partsOf(text: string): Generator<Part> {
  let word: string | undefined
  let isTarget = false // of a redirection, so it is no word of the command
  for (const { kind, token } of tokensOf(text)) {
    if (OF_WORD.includes(kind)) {
      for (const script of scriptsIn(token)) yield { kind: "script", text: script }
      word = (word ?? "") + unquoted(token)
      continue
    }
    if (word !== undefined && !isTarget) yield { kind: "word", text: word }
    if (kind === "redirection") isTarget = true
    else if (word !== undefined || kind === "separator") isTarget = false
    word = undefined
    if (kind === "separator") yield { kind: "end" }
  }
  if (word !== undefined && !isTarget) yield { kind: "word", text: word }
}

const PATTERNS = [
  ["comment", /#[^\n]*/y],
  ["blank", /(?:[^\S\n]|\\\n)+/y],
  ["quoted", /\$?'[^']*'?|\$?"(?:[^"\\]+|\\[\s\S])*"?|\\[\s\S]?/y],
  ["substitution", /[<>$]\(|`(?:[^`\\]+|\\[\s\S])*`?/y],
  ["redirection", /&>>?|\d*[<>]+[&|-]*/y],
  ["separator", /[;|&()\n]/y],
  ["plain", /[^\s'"\\`<>;|&()$]+|[\s\S]/y],
] as const

type TokenKind = (typeof PATTERNS)[number][0]
type Token = { readonly kind: TokenKind; readonly token: string }

const OF_WORD: readonly TokenKind[] = ["quoted", "substitution", "plain"]

function* tokensOf(text: string): Generator<Token> {
  let isInWord = false
  for (let at = 0; at < text.length; ) {
    const found = tokenAt(text, at, isInWord)
    isInWord = OF_WORD.includes(found.kind)
    at += found.token.length
    yield found
  }
}

function tokenAt(text: string, at: number, isInWord: boolean): Token {
  for (const [kind, pattern] of PATTERNS) {
    if (kind === "comment" && isInWord) continue
    pattern.lastIndex = at
    const token = pattern.exec(text)?.[0]
    if (token === undefined) continue
    const isOpen = kind === "substitution" && token.endsWith("(")
    return { kind, token: isOpen ? `${token}${parenthesised(text, at + 2)})` : token }
  }
  return { kind: "plain", token: text.charAt(at) }
}

function unquoted(token: string): string {
  if (token.startsWith("\\")) return token.slice(1)
  const [, quote, inner = ""] = /^\$?(['"])([\s\S]*?)\1?$/.exec(token) ?? []
  if (quote === undefined) return token
  return quote === '"' ? inner.replace(/\\(["\\$`\n])/g, "$1") : inner
}

/** The scripts of the substitutions in a part of a word. */
function scriptsIn(token: string): string[] {
  if (/^([\\']|\$')/.test(token)) return []
  const scripts: string[] = []
  for (let at = 0; at < token.length; ) {
    const found = /[<>$]\(|`/g
    found.lastIndex = at
    const sign = found.exec(token)
    if (!sign) break
    const end = token.indexOf("`", found.lastIndex)
    const script =
      sign[0] !== "`"
        ? parenthesised(token, found.lastIndex)
        : token.slice(found.lastIndex, end < 0 ? undefined : end)
    scripts.push(script)
    at = found.lastIndex + script.length + 1
  }
  return scripts
}

const IN_PARENTHESES = /'[^']*'?|"(?:[^"\\]+|\\[\s\S])*"?|\\[\s\S]?|[()]|[^'"\\()]+/y

/** The text from a place on to the parenthesis that closes it, or to the end. */
function parenthesised(text: string, start: number): string {
  let open = 1
  for (let at = start; at < text.length; ) {
    IN_PARENTHESES.lastIndex = at
    const [token = ""] = IN_PARENTHESES.exec(text) ?? []
    open += token === "(" ? 1 : token === ")" ? -1 : 0
    if (open === 0) return text.slice(start, at)
    at += token.length
  }
  return text.slice(start)
}
