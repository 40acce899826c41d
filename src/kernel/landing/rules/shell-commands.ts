/**
 * Reads the words of each command in a shell text. Pure.
 *
 * A text with syntax that is not on the list here is not read at all: a command that was taken for data
 * would run unseen.
 */
import {
  type Assignment,
  forEachChild,
  parse,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash"

/** Stands for a value that is known only when the command runs. */
export const VALUE = "\0"

export type ShellCommand = {
  /** Program and arguments, without quotes. */
  readonly words: readonly string[]
  /** Other words that may name files: of redirections, assignments and `for`. */
  readonly files: readonly string[]
}

/** All shells read these alike. Not among them: `$'…'`, here-documents, arithmetic, `case` and `[[`. */
const PLAIN: ReadonlySet<string> = new Set([
  ...[
    "Script",
    "Statement",
    "CompoundList",
    "AndOr",
    "Pipeline",
    "Negation",
    "Command",
    "Subshell",
  ],
  ...["BraceGroup", "Redirected", "If", "Elif", "While", "For", "Function", "Assignment"],
  ...["Redirect", "FileDescriptor", "Word", "Literal", "SingleQuoted", "DoubleQuoted", "Glob"],
  ...["SimpleExpansion", "ParameterExpansion", "Default", "Remove", "CommandExpansion"],
])
/** Another variable, such as `PATH`, may change what a program does. */
const HARMLESS_VARIABLE = /^[a-z_]+$/
/** The null character is ours. Shells differ about the others: `${ x; }` is a command in some. */
const UNREAD = /[\0\r`]|\$\{(?![\w@#%*/.:?+-]*\})/
/** As deep as people nest commands. */
const DEPTH_MAX = 20

/** @returns undefined if the text is not plain enough. */
export function shellCommands(text: string): readonly ShellCommand[] | undefined {
  const commands: ShellCommand[] = []
  const isPlain = (node: SyntaxNode, depth: number): boolean => {
    if (depth > DEPTH_MAX || !PLAIN.has(node.type)) return false
    if (node.type === "Script" && node.errors?.length) return false
    if (node.type === "Assignment" && !isHarmless(node)) return false
    commands.push(...commandsOf(node))
    const inside = NESTING.has(node.type) ? depth + 1 : depth
    let isAll = true
    forEachChild(node, (child) => {
      isAll = isAll && isPlain(child, inside)
    })
    return isAll
  }
  return !UNREAD.test(text) && isPlain(parse(text), 0) ? commands : undefined
}

const isHarmless = ({ name, append }: Assignment) => !append && HARMLESS_VARIABLE.test(name)

const NESTING: ReadonlySet<string> = new Set(["Script", "CompoundList"])

/** The node's own: those inside of it are read when it is visited. */
function commandsOf(node: SyntaxNode): readonly ShellCommand[] {
  if (node.type === "Redirect")
    return [{ words: [], files: node.target ? [wordOf(node.target)] : [] }]
  if (node.type === "For") return [{ words: [], files: node.wordlist?.map(wordOf) ?? [] }]
  if (node.type === "Assignment" && node.value.type === "Word")
    return [{ words: [], files: [wordOf(node.value)] }]
  if (node.type !== "Command" || !node.name) return []
  const args = node.args.map((one) => (one.type === "Word" ? wordOf(one) : one.text))
  return [{ words: [wordOf(node.name), ...args], files: [] }]
}

const wordOf = ({ value, parts }: Word): string => parts?.map(textOf).join("") ?? value

function textOf(part: WordPart): string {
  if (part.type === "DoubleQuoted") return part.parts.map(textOf).join("")
  return "value" in part ? part.value : VALUE
}
