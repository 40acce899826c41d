/**
 * Takes a terminal for a program that fills its screen, and gives it back as it was: at the end, after
 * an error, after a signal, and while the process is stopped.
 *
 * Keys wait in a queue. Ctrl-C does not: it ends the program whatever else goes on.
 */
import type { Key as NodeKey } from "node:readline"
import type { Shell } from "../command.ts"

/** One key, or a whole text that was pasted. */
export type Key = {
  /** `up`, `return`, `a`, `G`, `ctrl-c`, `paste`, … */
  readonly name: string
  /** The text that it types; possibly empty. */
  readonly text: string
}

type Options = {
  /** Called when the screen has to be drawn again. */
  onRedraw(): void
  /** Called at Ctrl-C, and when a signal ends the program. */
  onEnd(): void
}

/** A stopped process group goes on with SIGCONT. One that cannot be stopped goes on after this time. */
const STOP_MS_MAX = 200

export class BoardTerminal implements Disposable {
  readonly #shell: Pick<Shell, "output" | "keyboard">
  readonly #options: Options
  readonly #restoreSignals: () => void
  readonly #keys: Key[] = []
  #wake: () => void = () => {}
  #isOurs = false
  #isOver = false
  /** The text of a paste that has not ended. */
  #pasted: string | undefined

  constructor(shell: Pick<Shell, "output" | "keyboard" | "onInterrupt">, options: Options) {
    this.#shell = shell
    this.#options = options
    this.#restoreSignals = shell.onInterrupt(options.onEnd)
  }

  start(): void {
    process.on("exit", this.#leave)
    this.#enter()
  }

  [Symbol.dispose](): void {
    this.#leave()
    this.#isOver = true
    process.off("exit", this.#leave)
    this.#restoreSignals()
  }

  /** Waits for the next key. */
  async key(): Promise<Key> {
    for (;;) {
      const key = this.#keys.shift()
      if (key) return key
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Drops the keys that were pressed before a question was on the screen. */
  forgetKeys(): void {
    this.#keys.length = 0
  }

  /** Does nothing while another program has the terminal. */
  draw(lines: readonly string[]): void {
    if (this.#isOurs) this.#shell.output.drawScreen(lines)
  }

  /** Gives the terminal to another program until it ends. */
  async lend<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#leave()
    try {
      return await run()
    } finally {
      this.#enter()
    }
  }

  readonly #enter = (): void => {
    if (this.#isOurs || this.#isOver) return
    this.#isOurs = true
    const { output, keyboard } = this.#shell
    output.enterScreen()
    process.on("SIGTSTP", this.#stop)
    process.on("SIGCONT", this.#enterAgain)
    process.on("SIGWINCH", this.#options.onRedraw)
    if (keyboard) {
      process.getBuiltinModule("node:readline").emitKeypressEvents(keyboard)
      keyboard.on("keypress", this.#press)
      keyboard.setRawMode(true)
      keyboard.resume()
    }
    this.#options.onRedraw()
  }

  readonly #leave = (): void => {
    if (!this.#isOurs) return
    this.#isOurs = false
    const { output, keyboard } = this.#shell
    process.off("SIGTSTP", this.#stop)
    process.off("SIGCONT", this.#enterAgain)
    process.off("SIGWINCH", this.#options.onRedraw)
    if (keyboard) {
      keyboard.off("keypress", this.#press)
      keyboard.setRawMode(false)
      keyboard.pause()
    }
    output.leaveScreen()
  }

  /** After SIGSTOP, the shell has changed the terminal. */
  readonly #enterAgain = (): void => {
    this.#leave()
    this.#enter()
  }

  /** As Ctrl-Z does to a program that leaves the terminal alone: stops the whole process group. */
  readonly #stop = (): void => {
    this.#leave()
    const goOn = () => {
      clearTimeout(timer)
      process.off("SIGCONT", goOn)
      this.#enter()
    }
    const timer = setTimeout(goOn, STOP_MS_MAX)
    process.on("SIGCONT", goOn)
    process.kill(0, "SIGTSTP")
  }

  readonly #press = (typed: string | undefined, { name, ctrl, meta, sequence }: NodeKey): void => {
    if (name === "paste-start") this.#pasted = ""
    else if (name === "paste-end") {
      this.#put({ name: "paste", text: this.#pasted ?? "" })
      this.#pasted = undefined
    } else if (this.#pasted !== undefined) this.#pasted += sequence ?? typed ?? ""
    else if (ctrl && name === "c") this.#options.onEnd()
    else if (ctrl && name === "z") this.#stop()
    // Node marks Escape alone as a meta key.
    else if (ctrl || (meta && name !== "escape"))
      this.#put({ name: `${ctrl ? "ctrl" : "meta"}-${name}`, text: "" })
    else if (typed && /^\P{Cc}+$/u.test(typed)) this.#put({ name: typed, text: typed })
    else if (name) this.#put({ name, text: "" })
  }

  #put(key: Key): void {
    this.#keys.push(key)
    this.#wake()
  }
}
