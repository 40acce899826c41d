/**
 * Reads the words of each command in a shell text. Pure.
 *
 * A text with more than words, quotes, plain variables and `$(…)` is not read at all: a command that was
 * taken for data would run unseen.
 */

/** Stands for a value that is known only when the command runs. */
export const VALUE = "\0"

/** Program and arguments without quotes, and the files of its redirections. */
export type ShellCommand = { readonly words: readonly string[]; readonly files: readonly string[] }

/** Old or rare syntax with rules of its own for quotes. */
const UNREAD = /[`\r\0]|<<|\$'|\$\(\(|\$\{(?![\w@#%*/.:?+-]*\})/
const SPACE = /(?:[ \t]|\\\n)+/y
const COMMENT = /#[^\n]*/y
const REDIRECTION = /(?:\d*(?:>>?\|?|<)(?:&[\d-]+)?|&>>?)/y
const SEPARATOR = /[\n;&|()]/y
const PLAIN = /[^\s;&|()<>"'\\$]+/y
const IN_QUOTES = /[^"\\$]+/y
const SINGLE = /'[^']*'/y
const ESCAPED = /\\[^]/y
const VARIABLE = /\$(?:\{[^}]*\}|\w+|[@*#?$!-])?/y

/** @returns undefined if the text is not plain enough. */
export function shellCommands(text: string): readonly ShellCommand[] | undefined {
  if (UNREAD.test(text)) return undefined
  const reader = new Reader(text)
  return reader.readAll() ? reader.commands : undefined
}

class Reader {
  readonly commands: ShellCommand[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readAll(): boolean {
    return this.#read(false) && this.#at === this.#text.length
  }

  /** @param isInner ends before the `)` that has no partner. @returns whether it is plain. */
  #read(isInner: boolean): boolean {
    let words: string[] = []
    let files: string[] = []
    let depth = 0
    let isFile = false
    const endCommand = () => {
      this.commands.push({ words, files })
      words = []
      files = []
      isFile = false
    }
    while (this.#at < this.#text.length) {
      if (this.#take(SPACE) || this.#take(COMMENT)) continue
      const redirection = this.#take(REDIRECTION)
      if (redirection) {
        isFile = !/&[\d-]/.test(redirection)
        continue
      }
      if (isInner && depth === 0 && this.#text[this.#at] === ")") break
      const separator = this.#take(SEPARATOR)
      if (separator === "(") depth += 1
      if (separator === ")") depth -= 1
      if (separator) {
        endCommand()
        continue
      }
      const word = this.#word()
      if (word === undefined) return false
      ;(isFile ? files : words).push(word)
      isFile = false
    }
    endCommand()
    return true
  }

  #word(): string | undefined {
    const from = this.#at
    let word = ""
    for (;;) {
      const part = this.#take(PLAIN) ?? this.#take(SINGLE)?.slice(1, -1) ?? this.#escapedOrValue()
      const quoted = part === undefined && this.#take(/"/y) ? this.#untilQuote() : part
      if (quoted === undefined) return this.#at > from && !this.#isQuote() ? word : undefined
      word += quoted
    }
  }

  #isQuote = (): boolean => /["'\\$]/.test(this.#text[this.#at] ?? " ") || this.#broken
  /** A quote or a `$(` has no end. */
  #broken = false

  #untilQuote(): string | undefined {
    let word = ""
    while (!this.#take(/"/y)) {
      const part = this.#take(IN_QUOTES) ?? this.#escapedOrValue()
      if (part === undefined) {
        this.#broken = true
        return undefined
      }
      word += part
    }
    return word
  }

  #escapedOrValue(): string | undefined {
    if (this.#text.startsWith("\\\n", this.#at)) return this.#take(ESCAPED) && ""
    const escaped = this.#take(ESCAPED)
    if (escaped !== undefined) return escaped.slice(1)
    if (!this.#take(/\$\(/y)) return this.#take(VARIABLE) === undefined ? undefined : VALUE
    if (this.#read(true) && this.#take(/\)/y)) return VALUE
    this.#broken = true
    return undefined
  }

  /** @param token sticky. */
  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at
    const found = token.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}
