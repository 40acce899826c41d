/**
 * Lists the simple commands of a shell line, for rules on commands. Pure.
 *
 * It also looks through programs that run another one: `sh -c '…'`, `sudo`, `xargs`. It knows no values of
 * variables, no functions and no files, so a rule on commands prevents mistakes and stops no enemy.
 */
import { type Command, forEachChild, parse, type SyntaxNode } from "unbash"
import { commandInside } from "./command-inside.ts"

export type ShellCommand = {
  /** Without quotes, redirections, keywords and variables before it. */
  readonly words: readonly string[]
  /** Whether another program runs it. */
  readonly isInside: boolean
}

/** Each level reads its text again, and a person writes fewer. */
const DEPTH_MAX = 8

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
  const visit = (node: SyntaxNode, depth: number): void => {
    if (node.type === "Command") addCommand(wordsOf(node), { ...adding, depth })
    // The parser reads a substitution when it is visited.
    const inside = node.type === "Script" ? depth + 1 : depth
    if (inside <= DEPTH_MAX) forEachChild(node, (child) => visit(child, inside))
  }
  visit(parse(text), adding.depth)
}

function wordsOf({ name, args }: Command): readonly string[] {
  const words = args.map((one) => (one.type === "Word" ? one.value : one.text))
  return name ? [name.value, ...words] : []
}

function addCommand(words: readonly string[], { found, depth, isInside }: Adding): void {
  if (words.length === 0 || depth > DEPTH_MAX) return
  found.push({ words, isInside })
  const inside = { found, depth, isInside: true }
  for (const other of commandInside(words)) {
    if (typeof other === "string") addScript(other, inside)
    else addCommand(other, { ...inside, depth: depth + 1 })
  }
}
