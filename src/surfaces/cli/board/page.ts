/** The output of commands on the screen, given again every second, so that it stays up to date. */
import type { Shell } from "../command.ts"
import { cut } from "../format/text.ts"
import type { Output } from "../output.ts"
import { wrapped } from "./window.ts"

type Shows = {
  readonly title: string
  readonly task?: string
  /** Commands with their operands; none for a fixed text. */
  readonly commands?: readonly (readonly [words: readonly string[], ...operands: string[]])[]
  readonly lines?: readonly string[]
  /** Shows the end, and what comes next, until a person scrolls up. */
  readonly follows?: boolean
}

export class Page {
  readonly title: string
  readonly task: string | undefined
  readonly #commands: NonNullable<Shows["commands"]>
  #lines: readonly string[]
  #follows: boolean
  #top = 0
  /** The number of lines that did not fit when it was last drawn. */
  #more = 0
  #isSeen = false

  constructor({ title, task, commands = [], lines = [], follows = false }: Shows) {
    this.title = title
    this.task = task
    this.#commands = commands
    this.#lines = lines
    this.#follows = follows
  }

  /** @throws AppError of a command. */
  async refresh(shell: Shell): Promise<void> {
    if (this.#commands.length === 0) return
    const outputs: string[][] = []
    for (const [words, ...operands] of this.#commands)
      outputs.push(await shell.runCommand(words, operands))
    this.#lines = outputs.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]))
  }

  scroll(by: number): void {
    this.#top = Math.max(0, Math.min((this.#follows ? this.#more : this.#top) + by, this.#more))
    this.#follows = this.#follows ? by >= 0 : false
  }

  /** Whether its end has been on the screen. */
  get isSeen(): boolean {
    return this.#isSeen
  }

  /** As of the last {@link shown}. */
  shownTitle(output: Output): string {
    const below = this.#more - this.#top
    const more = below > 0 ? ` (${below} more rows: Page Down)` : ""
    return output.paint("bold", cut(`${this.title}${more}`, output.columns ?? 0))
  }

  shown(columns: number, height: number): string[] {
    const rows = wrapped(this.#lines, columns)
    this.#more = Math.max(0, rows.length - height)
    this.#top = this.#follows ? this.#more : Math.min(this.#top, this.#more)
    this.#isSeen ||= this.#top === this.#more
    return rows.slice(this.#top, this.#top + height)
  }
}
