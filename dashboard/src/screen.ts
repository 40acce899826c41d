/**
 * The screen of a terminal: xterm, which the page loads when the first terminal opens.
 *
 * It sets no title, opens no link and leaves the clipboard alone, whatever a program writes to it.
 */
import { FitAddon } from "@xterm/addon-fit"
import { Terminal } from "@xterm/xterm"
import "@xterm/xterm/css/xterm.css"
import { replaceInlineStyles } from "./style-sheets.ts"

/** As long as a log that a person reads. */
const LINES_MAX = 5_000
/** Keeps text readable when a program assumes a light screen. */
const CONTRAST_MIN = 4.5
const THEME = { background: "#16181a", foreground: "#e6e7e6", cursor: "#6cc294" }

replaceInlineStyles()

export type Size = { readonly columns: number; readonly rows: number }
export type ScreenEvents = {
  onKeys(bytes: Uint8Array<ArrayBuffer>): void
  onSize(size: Size): void
  /** Shift+F6: every other key is the shell's. */
  onLeave(): void
}

export class Screen {
  readonly #terminal: Terminal
  readonly #fit = new FitAddon()
  readonly #element = document.createElement("div")
  readonly #observer = new ResizeObserver(() => this.#fill())

  /** @param size used until the screen is shown; then its box decides. */
  constructor({ onKeys, onSize, onLeave }: ScreenEvents, size?: Size) {
    this.#element.className = "screen"
    this.#terminal = new Terminal({
      ...(size && { cols: size.columns, rows: size.rows }),
      fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
      fontSize: 13,
      scrollback: LINES_MAX,
      minimumContrastRatio: CONTRAST_MIN,
      theme: THEME,
      screenReaderMode: true,
      linkHandler: { activate: () => {} },
    })
    this.#terminal.loadAddon(this.#fit)
    const encoder = new TextEncoder()
    this.#terminal.onData((text) => onKeys(encoder.encode(text)))
    this.#terminal.onBinary((text) => onKeys(Uint8Array.from(text, (one) => one.charCodeAt(0))))
    this.#terminal.onResize(({ cols, rows }) => onSize({ columns: cols, rows }))
    this.#terminal.attachCustomKeyEventHandler((event) => {
      const isLeaving = event.key === "F6" && event.shiftKey
      if (isLeaving && event.type === "keydown") onLeave()
      return !isLeaving
    })
  }

  get size(): Size {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows }
  }

  show(parent: HTMLElement): void {
    parent.append(this.#element)
    if (!this.#terminal.element) this.#terminal.open(this.#element)
    this.#fill()
    this.#observer.observe(this.#element)
    this.#terminal.focus()
  }

  hide(): void {
    this.#observer.disconnect()
    this.#element.remove()
  }

  /** Frees its output, its timers and its style sheets. */
  dispose(): void {
    this.hide()
    this.#terminal.dispose()
  }

  /** @param onShown called when it is on the screen. */
  write(output: Uint8Array, onShown: () => void): void {
    this.#terminal.write(output, onShown)
  }

  set isOpen(isOpen: boolean) {
    this.#terminal.options.disableStdin = !isOpen
  }

  #fill(): void {
    if (this.#element.isConnected) this.#fit.fit()
  }
}
