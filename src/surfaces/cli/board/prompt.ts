/** The bottom line while a person types: a text for a command, or the answer to yes or no. */
import { util } from "../../../api/client/node-builtins.ts"
import { firstPart, lastPart, width } from "../format/columns.ts"
import type { Output } from "../output.ts"
import type { Key } from "./terminal.ts"

type Asked = {
  /** Names the text, as in `Message (task 3)`. */
  readonly label: string
  readonly text?: string
  /** Called after each key, with the text so far. */
  onTyped?(text: string): void
  /** Called with Return; not with Escape. */
  onEntered(text: string): unknown
}

export class Prompt {
  readonly #asked: Asked
  #text: string

  constructor(asked: Asked) {
    this.#asked = asked
    this.#text = asked.text ?? ""
  }

  /** @returns false when the person is done with it. */
  async press({ name, text }: Key): Promise<boolean> {
    if (name === "escape") this.#change("")
    if (name === "escape") return false
    if (name === "return" || name === "enter") {
      await this.#asked.onEntered(this.#text)
      return false
    }
    if (name === "backspace") this.#change([...this.#text].slice(0, -1).join(""))
    else if (name === "ctrl-u") this.#change("")
    else if (name === "ctrl-w") this.#change(this.#text.replace(/\S+\s*$/, ""))
    else this.#change(this.#text + text.replace(/\s+/g, " "))
    return true
  }

  /** Where label and text do not both fit, the end of the text stays, with the cursor. */
  line(output: Output, columns: number): string {
    const label = `${this.#asked.label}: `
    const room = Math.max(0, columns - 1)
    const typed = lastPart(util.stripVTControlCharacters(this.#text), room)
    const cursor = output.paint("inverse", " ")
    return `${output.paint("bold", firstPart(label, room - width(typed)))}${typed}${cursor}`
  }

  #change(text: string): void {
    this.#text = text
    this.#asked.onTyped?.(text)
  }
}

/** Asks once; every key but `y` means no. */
export class Confirmation {
  readonly #question: string
  readonly #onYes: () => unknown

  constructor(question: string, onYes: () => unknown) {
    this.#question = question
    this.#onYes = onYes
  }

  async press({ name }: Key): Promise<boolean> {
    if (name === "y" || name === "Y") await this.#onYes()
    return false
  }

  line(output: Output, columns: number): string {
    return output.paint("bold", lastPart(`${this.#question} [y/N]`, columns))
  }
}
