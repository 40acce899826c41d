/**
 * The words that start an agent's program: placeholders in them, and what may stand where. Pure.
 *
 * `aider --message {prompt}`: each turn replaces `{prompt}` by the prompt, as one argument, and no
 * shell reads it. A prompt quotes files and test output, so it must never become code or an option.
 */

const PLACEHOLDERS = ["prompt", "promptFile", "session", "turn"] as const
type Placeholder = (typeof PLACEHOLDERS)[number]
type Values = Readonly<Record<Placeholder, string>>

const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join("|")})\\}`, "g")
/** Looks like one of them; other words in braces are a program's own. */
const SIMILAR = /\{((?:prompt|session|turn)\w*)\}/gi
const PROMPT = "{prompt}"
const ALONE_OR_VALUE = /^(--?[\w-]+=)?\{prompt\}$/

/** Programs that run the text after an option such as `-c`. */
const INTERPRETER =
  /^(ba|da|z|k|c|tc|fi|a)?sh$|^(python|perl|ruby|node|nodejs|deno|bun|php|lua|pwsh|osascript|env)[\d.]*$/
const CODE_OPTION = /^-([A-Za-z]*[ceprES]|[Cc]ommand)$|^--(eval|print|command|split-string)$/
/** Programs that run their arguments, or hand them to a shell. */
const JOINS_WORDS = /^(ssh|su|eval|watch|script|[gm]?awk)$/

/** Whether the prompt is in the words; otherwise the program gets it on its standard input. */
export const holdsPrompt = (words: readonly string[]): boolean =>
  words.some((word) => word.includes(PROMPT) || word.includes("{promptFile}"))

/**
 * @param command a list of words, or text that a shell runs.
 * @returns the fault of this command; undefined: it has none.
 */
export function findFault(command: string | readonly string[]): string | undefined {
  if (typeof command === "string") return command.includes(PROMPT) ? IN_SHELL_TEXT : undefined
  const words = command
  const [program] = words
  if (!program?.trim()) return "it names no program"
  if (program.includes(PROMPT)) return "a prompt cannot choose the program"
  const similar = words.flatMap((word) => [...word.matchAll(SIMILAR)].map(([, name = ""]) => name))
  const misspelt = similar.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name))
  if (misspelt)
    return `{${misspelt}} is not known: there are ${PLACEHOLDERS.map((one) => `{${one}}`).join(", ")}`
  return words.map((word, at) => faultOfWord(words, word, at)).find(Boolean)
}

/** The same for words that start a server, which gets its prompts later. */
export function findServerFault(command: string | readonly string[]): string | undefined {
  if (typeof command === "string") return "must be a list of words: no shell starts it"
  const held = PLACEHOLDERS.find((name) => command.some((word) => word.includes(`{${name}}`)))
  return held ? `{${held}} is not for a program that gets its prompts later` : findFault(command)
}

const IN_SHELL_TEXT = `${PROMPT} is only for a list of words: in text that a shell runs, it would run as code`
const INSTEAD = "use {promptFile}, or leave it out: the prompt is then on standard input"

function faultOfWord(words: readonly string[], word: string, at: number): string | undefined {
  if (!word.includes(PROMPT)) return undefined
  if (!ALONE_OR_VALUE.test(word))
    return `${PROMPT} must be an argument of its own, or the value of an option (--message=${PROMPT}): ${INSTEAD}`
  const before = words.slice(0, at).map((one) => one.slice(one.lastIndexOf("/") + 1))
  // Other options may follow the one that takes code: `sh -c -- {prompt}`.
  const start = before.findLastIndex((one) => !/^[-+]/.test(one))
  const options = [...before.slice(start + 1), word.replace(/=.*/, "")]
  const isCode =
    (before.some((one) => INTERPRETER.test(one)) && CODE_OPTION.test(words[at - 1]!)) ||
    (INTERPRETER.test(before[start] ?? "") && options.some((one) => CODE_OPTION.test(one)))
  const joins = before.some((one) => JOINS_WORDS.test(one))
  return isCode || joins ? `the prompt would run as code here: ${INSTEAD}` : undefined
}

/** The words with every placeholder replaced, in one pass: a value is never read again. */
export function fillIn(words: readonly string[], values: Values): string[] {
  return words.map((word) => {
    // A program takes what begins with a dash as an option.
    if (word === PROMPT && values.prompt.startsWith("-")) return ` ${values.prompt}`
    return word.replace(PLACEHOLDER, (_, name: Placeholder) => values[name])
  })
}

/** The agent's name for words that a person typed: that of the program. */
export function nameOfProgram([program = ""]: readonly string[]): string {
  const base = program.slice(program.lastIndexOf("/") + 1)
  return base.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "command"
}
