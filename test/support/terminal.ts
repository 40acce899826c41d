/**
 * A real terminal for tests: a pseudo terminal of the system, whose output xterm draws.
 *
 * Python makes the pseudo terminal, since Node cannot without a native package.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import xterm from "@xterm/headless"
import { waitFor } from "./wait-for.ts"

const IN_TERMINAL = fileURLToPath(new URL("in-terminal.py", import.meta.url))

export type TerminalOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

export class TestTerminal implements AsyncDisposable {
  /** All that was written to it. */
  written = ""
  readonly #child: ChildProcess
  readonly #screen: InstanceType<typeof xterm.Terminal>
  readonly #ended: Promise<number | null>

  constructor(command: readonly string[], options: TerminalOptions) {
    const { cwd, env, columns = 110, rows = 24 } = options
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
    const args = [IN_TERMINAL, String(columns), String(rows), ...command]
    const program = { cwd, env: { ...env, TERM: "xterm-256color" } }
    this.#child = spawn("python3", args, { ...program, stdio: ["pipe", "pipe", "inherit"] })
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.written += text
      this.#screen.write(text)
    })
    this.#ended = once(this.#child, "exit").then(([code]) => code as number | null)
  }

  /** Presses keys: plain text, or what a terminal sends for a key. */
  press(keys: string): void {
    this.#child.stdin!.write(keys)
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    this.#child.stdin!.write(`\0${columns}x${rows}\0`)
  }

  /** The lines on the screen, without the space at their ends. */
  lines(): string[] {
    const { active } = this.#screen.buffer
    const at = (row: number) =>
      active.getLine(active.viewportY + row)?.translateToString(true) ?? ""
    return Array.from({ length: this.#screen.rows }, (_, row) => at(row))
  }

  /** Waits until the screen has it. @returns the lines then. */
  async shows(wanted: RegExp | string): Promise<string[]> {
    const has = (text: string) =>
      typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)
    try {
      return await waitFor(`${wanted}`, () => {
        const lines = this.lines()
        return has(lines.join("\n")) && lines
      })
    } catch (cause) {
      throw new Error(`the screen never had ${wanted}:\n${this.lines().join("\n")}`, { cause })
    }
  }

  /** Whether a program fills the screen, and the shell's own lines wait behind it. */
  get isFilled(): boolean {
    return this.#screen.buffer.active.type === "alternate"
  }

  get hasPasteMarks(): boolean {
    return this.#screen.modes.bracketedPasteMode
  }

  get wraps(): boolean {
    return this.#screen.modes.wraparoundMode
  }

  /** The exit code of the command. */
  ended(): Promise<number | null> {
    return this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended
    this.#screen.dispose()
  }
}
