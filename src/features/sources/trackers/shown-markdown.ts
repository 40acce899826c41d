/**
 * The part of a Markdown text that its page on GitHub, GitLab or Gitea shows: without comments of HTML. Pure.
 *
 * A `<!--` in code is text, and all others start a comment. A stranger who finds a place that we take for
 * code, and the page does not, can hide words from people and show them to an agent. So this is no parser
 * of Markdown. It knows only what every page shows as code: a closed fence at the start of a line, and code
 * within one line of plain words. After a line that could mean anything else, each `<!--` starts a comment.
 */

export function shownMarkdown(text: string): string {
  const page = new Page(text)
  while (page.isSure) page.readLine()
  return page.shown + page.rest.replace(COMMENT, "")
}

const LINE = /^([^\r\n]*)(\r\n|\r|\n|$)/
const BLANK = /^[ \t]*$/
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/
const ANY_FENCE = /^[ \t]*(?:```|~~~)/
/** A line of an ordinary block: no front matter, formulas, or blocks that one of the forges has alone. */
const ORDINARY = /^[ \t]*(?:[\p{L}\p{N}#*_("'.,@`|/<]|[-+](?![-+])|>(?!>)|!?\[(?!\[)|$)/u
/** Tags whose effect on blocks ends at the next blank line. */
const TAGS = /<\/?(?:details|summary|img|br|p|b|kbd|sub|sup|h[1-6])\b[^<>`]*>/gi
/** Words in which no character takes a backtick into a link, a tag, a formula or a cell. */
const PLAIN = /^[\p{L}\p{N}\s.,;:'"()!?#*_/=+@-]*$/u
/** Short forms that are whole comments. */
const SHORT_COMMENT = /^<!---?>/
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g
const START = "<!--"
/** A comment without an end goes to the end of the text. */
const END = "-->"

/** The lines since the last blank one. */
type Block = {
  /** Each is PLAIN, apart from code. */
  readonly isPlain: boolean
  readonly hasTag: boolean
}

const EMPTY: Block = { isPlain: true, hasTag: false }

class Page {
  shown = ""
  rest: string
  /** There is more, and so far we know which lines begin a block on the page. */
  isSure: boolean
  #block = EMPTY

  constructor(text: string) {
    this.rest = text
    this.isSure = text !== ""
  }

  /** Reads a line, or the rest of one, with the first comment or the fence that it begins. */
  readLine(): void {
    const [whole = "", line = ""] = LINE.exec(this.rest) ?? []
    if (!this.#block.hasTag && this.#readFence(line)) return
    const words = this.#block.isPlain ? withoutCode(line) : line
    const at = words.indexOf(START)
    const before = at < 0 ? words : words.slice(0, at)
    if (!ORDINARY.test(line) || ANY_FENCE.test(line) || before.replace(TAGS, "").includes("<"))
      this.isSure = false
    else if (at >= 0) this.#leaveOut(line, at)
    else {
      if (BLANK.test(line)) this.#block = EMPTY
      else this.#addToBlock(words)
      this.#take(whole.length)
    }
  }

  #readFence(line: string): boolean {
    const [, ticks, tildes] = FENCE.exec(line) ?? []
    const fence = ticks ?? tildes
    if (fence === undefined) return false
    const close = new RegExp(`[\\r\\n] {0,3}${fence}${fence[0]}*[ \\t]*(?:\\r\\n|\\r|\\n|$)`)
    const found = close.exec(this.rest.slice(line.length))
    if (!found) return false
    this.#take(line.length + found.index + found[0].length)
    this.#block = EMPTY
    return true
  }

  /** Leaves out the comment at `at`. */
  #leaveOut(line: string, at: number): void {
    const end = this.rest.indexOf(END, at + START.length)
    const after = end < 0 ? this.rest.length : end + END.length
    const [, restOfLine = ""] = LINE.exec(this.rest.slice(after)) ?? []
    // A block of its own on every page, which ends with its last line.
    const isBlock = at === 0 && BLANK.test(restOfLine) && !SHORT_COMMENT.test(line)
    const { hasTag } = this.#block
    if (isBlock && !hasTag) this.#block = EMPTY
    else this.#addToBlock(START)
    this.#take(at)
    this.rest = this.rest.slice(after - at)
    this.isSure &&= !hasTag && (isBlock || after <= line.length)
  }

  #addToBlock(words: string): void {
    const { isPlain, hasTag } = this.#block
    this.#block = {
      isPlain: isPlain && PLAIN.test(words),
      hasTag: hasTag || words.includes("<"),
    }
  }

  #take(length: number): void {
    this.shown += this.rest.slice(0, length)
    this.rest = this.rest.slice(length)
    this.isSure = this.rest !== ""
  }
}

const CODE = /^([^`]*)(`+)(?!`)/

/** A line with `x` for each character of code, up to the first doubt. @param line after PLAIN ones. */
function withoutCode(line: string): string {
  if (line.includes("|")) return line // the cells of a table end code
  let words = ""
  for (;;) {
    const rest = line.slice(words.length)
    const [opening = "", before = "", ticks = ""] = CODE.exec(rest) ?? []
    // A link that is no markup goes on to the next space, through backticks too.
    const isApart = before === "" ? words === "" : /[ \t]$/.test(before)
    if (!ticks || !isApart || !PLAIN.test(before)) return words + rest
    const close = new RegExp(`(?<!\`)${ticks}(?!\`)`).exec(rest.slice(opening.length))
    if (!close) return words + rest
    words += before + "x".repeat(2 * ticks.length + close.index)
  }
}
