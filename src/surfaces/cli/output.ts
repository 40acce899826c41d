/**
 * The output of a command: its result on stdout, everything else on stderr.
 *
 * With `--json`, stdout carries only documents. The text may come from agents and repositories, so a
 * terminal gets only visible characters of it. No other file writes to the terminal.
 */
import { util } from "../../api/client/node-builtins.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { clean, toJson } from "../../base/text/shown.ts"

export type Stream = {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "inverse"

/** The only terminal codes that pass: those that `paint` adds. */
const OWN_STYLES = /(\x1b\[(?:1|2|7|22|27|31|32|33|36|39)m)/
/** The size of a terminal that reports none. */
const COLUMNS_USUAL = 80
/** As of the steps of an agent. */
const INDENT = " ".repeat(9)
const ROWS_USUAL = 24
/**
 * The alternate screen, without a cursor. A line that is too long is cut, not wrapped, and a pasted text
 * is marked as one, so that it presses no keys.
 */
const SCREEN_ON = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h"
const SCREEN_OFF = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"

export class Output {
  readonly #stdout: Stream
  readonly #stderr: Stream
  readonly #json: boolean
  readonly #colors: boolean
  readonly #isDumb: boolean
  /** The line below the others that is not whole yet; possibly empty. */
  #draft = ""
  /** Notes that would spoil the screen; undefined while there is none. */
  #heldNotes: Set<string> | undefined

  constructor(
    streams: { readonly stdout: Stream; readonly stderr: Stream },
    { json, env }: { json: boolean; env: Readonly<Record<string, string | undefined>> },
  ) {
    this.#stdout = streams.stdout
    this.#stderr = streams.stderr
    this.#json = json
    this.#isDumb = env["TERM"] === "dumb"
    const narrating = json ? streams.stderr : streams.stdout
    this.#colors = narrating.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb"
  }

  /** How wide a line may be; undefined if the output is not a terminal. */
  get columns(): number | undefined {
    return this.#stdout.isTTY ? this.#stdout.columns || COLUMNS_USUAL : undefined
  }

  line(text = ""): void {
    if (this.#draft) this.#drawDraft("")
    const stream = this.#json ? this.#stderr : this.#stdout
    stream.write(`${this.#shown(text)}\n`)
  }

  /** Shows the end of a text that is being written, until the next line. Undefined: not on a terminal. */
  get drafting(): ((text: string) => void) | undefined {
    const isTerminal = this.columns !== undefined && !this.#json && !this.#isDumb
    return isTerminal ? (text) => this.#drawDraft(text) : undefined
  }

  #drawDraft(text: string): void {
    const room = (this.columns ?? COLUMNS_USUAL) - INDENT.length - 1
    const all = oneLine(text)
    const shown = all && INDENT + (all.length > room ? `…${all.slice(1 - room)}` : all)
    if (shown === this.#draft) return
    this.#draft = shown
    // Wide letters take more columns than counted: they must not wrap.
    this.#stdout.write(`\r\x1b[K${shown && `\x1b[?7l${this.paint("dim", shown)}\x1b[?7h`}`)
  }

  /** Byte for byte if a program reads stdout. A terminal gets the same as from `lines`. */
  verbatim(texts: readonly string[]): void {
    if (this.columns !== undefined) this.lines(texts)
    else if (texts.length > 0) this.#stdout.write(`${texts.join("\n")}\n`)
  }

  lines(texts: readonly string[]): void {
    if (texts.length > 0) this.line(texts.join("\n"))
  }

  get rows(): number {
    return this.#stdout.rows || ROWS_USUAL
  }

  /** A line on stderr, next to the result: a hint, a warning. While the screen is on, it waits. */
  note(text: string): void {
    if (this.#draft) this.#drawDraft("")
    if (this.#heldNotes) this.#heldNotes.add(text)
    else this.#stderr.write(`${this.#shown(text)}\n`)
  }

  enterScreen(): void {
    this.#heldNotes ??= new Set()
    this.#stdout.write(SCREEN_ON)
  }

  /** Redraws the screen with as many lines as fit. */
  drawScreen(lines: readonly string[]): void {
    // Each line is erased first: afterwards, that would erase a letter in the last column.
    const drawn = lines.slice(0, this.rows).map((line) => `\x1b[K${this.#shown(line)}`)
    const below = drawn.length < this.rows ? "\n\x1b[J" : ""
    this.#stdout.write(`\x1b[H${drawn.join("\n")}${below}`)
  }

  /** Gives the terminal back as it was, and writes the notes that waited. */
  leaveScreen(): void {
    this.#stdout.write(SCREEN_OFF)
    const notes = this.#heldNotes ?? []
    this.#heldNotes = undefined
    for (const text of notes) this.note(text)
  }

  ringBell(): void {
    this.#stdout.write("\x07")
  }

  document(value: unknown): void {
    this.#stdout.write(`${toJson(value, 2)}\n`)
  }

  /** One of many documents, on a line of its own. */
  documentLine(value: unknown): void {
    this.#stdout.write(`${toJson(value)}\n`)
  }

  paint(style: Style, text: string): string {
    return this.#colors ? util.styleText(style, text, { validateStream: false }) : text
  }

  #shown(text: string): string {
    if (!this.#colors) return clean(text)
    return text
      .split(OWN_STYLES)
      .map((part, at) => (at % 2 === 1 ? part : clean(part)))
      .join("")
  }
}
