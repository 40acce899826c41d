/** Tells the demo on stdout as it happens: when, who, what. */
import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

/** The lines of `coppice run` that stand out. */
const STYLES: readonly (readonly [RegExp, Style])[] = [
  [/^ /, "dim"], // words and actions of the agent itself
  [/^handed back/, "yellow"],
  [/^complete/, "green"],
  [/^(stuck|landing failed|gate failed)/, "red"],
]
const TAG_COLUMNS = 9

export class Narrator {
  readonly #startMs = performance.now()

  get elapsed(): string {
    return `${((performance.now() - this.#startMs) / 1000).toFixed(1)} s`
  }

  /** Actions of the demo itself. */
  say(text: string): void {
    this.#line("demo", styleText("bold", text))
  }

  /** A line of Coppice about the task `name`. */
  task(name: string, text: string): void {
    const [, style] = STYLES.find(([pattern]) => pattern.test(text)) ?? []
    this.#line(name, style ? styleText(style, text) : text)
  }

  #line(tag: string, text: string): void {
    console.log(`${this.elapsed.padStart(7)}  ${tag.padEnd(TAG_COLUMNS)}  ${text}`)
  }
}
