/**
 * `ls --watch` on a terminal: the list of tasks, in which a person selects one and acts with a key.
 *
 * Two loops run: one reads the list every second, the other handles the keys in their order. The keys
 * run the commands of the command line (keys.ts), so nothing happens here that a command does not do.
 * The selection is a task's id, so a key still acts on the same task when the list has changed.
 */
import { AppError } from "../../../base/errors.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { bufferOutput } from "../buffer-output.ts"
import type { Shell } from "../command.ts"
import { KEYS, keyHints, MOVES } from "./keys.ts"
import type { Page } from "./page.ts"
import { Confirmation, type Prompt } from "./prompt.ts"
import { type ListedTask, type ListLine, MARGIN_COLUMNS, TaskList } from "./task-list.ts"
import { BoardTerminal, type Key } from "./terminal.ts"
import { wrapped } from "./window.ts"

/** Ages are counted in seconds. */
const POLL_MS = 1_000
/** The line of messages, and the line of keys. */
const BOTTOM_ROWS = 2
/** A longer message is cut. */
const TOLD_ROWS_MAX = 4
/** A lower terminal has no line of keys. */
const HINTED_ROWS_MIN = 5

type Watched = {
  /** The list now, as wide as `shell.output`. Starts no daemon. */
  look(shell: Shell, filter: string): Promise<BoardList>
  /** Rings when a task newly needs a person. */
  readonly bell: boolean
}

type BoardList = {
  readonly lines: readonly ListLine[]
  /** False while no daemon runs; the list is the last one then. */
  readonly isLive: boolean
}

/** Ends when the person quits, or a signal comes. */
export async function showBoard(shell: Shell, watched: Watched): Promise<void> {
  const board = new Board(shell, watched)
  using terminal = board.terminal
  terminal.start()
  try {
    await Promise.race([board.ended, Promise.all([board.keepUpToDate(), board.handleKeys()])])
  } finally {
    board.end()
  }
}

export class Board {
  readonly shell: Shell
  readonly terminal: BoardTerminal
  readonly #watched: Watched
  readonly #end = Promise.withResolvers<void>()
  #isOver = false
  readonly #list = new TaskList()
  #page: Page | undefined
  #prompt: Prompt | Confirmation | undefined
  #filter = ""
  #message = ""
  /** Why the list is not up to date; empty if it is. */
  #trouble = ""
  /** The tasks that needed a person at the last look; undefined before the first. */
  #needs: ReadonlySet<string> | undefined
  #look = Promise.withResolvers<void>()

  constructor(shell: Shell, watched: Watched) {
    this.shell = shell
    this.#watched = watched
    this.terminal = new BoardTerminal(shell, {
      onRedraw: () => this.draw(),
      onEnd: () => this.end(),
    })
  }

  get ended(): Promise<void> {
    return this.#end.promise
  }

  end(): void {
    this.#isOver = true
    this.#end.resolve()
    this.#look.resolve()
  }

  /** The task of the page, or else the selected one. A page's task may be missing in the list. */
  get task(): Partial<ListedTask> & { readonly id: string } {
    const id = this.#page?.task
    const listed = id === undefined ? this.#list.selected : this.#list.find(id)
    return listed ?? { id: id ?? "" }
  }

  async keepUpToDate(): Promise<void> {
    while (!this.#isOver) {
      this.#look = Promise.withResolvers()
      await this.#update()
      this.draw()
      const timer = setTimeout(this.#look.resolve, POLL_MS)
      await this.#look.promise
      clearTimeout(timer)
    }
  }

  async handleKeys(): Promise<void> {
    while (!this.#isOver) {
      const key = await this.terminal.key()
      this.#message = ""
      await this.attempt(() => this.#press(key))
      this.draw()
      this.#look.resolve()
    }
  }

  draw(): void {
    const { output } = this.shell
    const columns = output.columns ?? 0
    const filter = this.#filter && `only tasks with "${this.#filter}"; / changes that`
    const message = [this.#message, this.#trouble].find(Boolean) ?? filter
    const told = wrapped([oneLine(message)], columns).slice(0, TOLD_ROWS_MAX)
    const prompt = this.#prompt && [this.#prompt.line(output, columns)]
    const last = [
      ...(prompt && message === "" ? [] : told.map((row) => output.paint("yellow", row))),
      ...(prompt ?? []),
      ...(output.rows < HINTED_ROWS_MIN ? [] : [output.paint("dim", keyHints(columns))]),
    ]
    const height = Math.max(0, output.rows - last.length)
    const rows = this.#page?.shown(columns, Math.max(0, height - 1))
    const body =
      this.#page && rows
        ? [this.#page.shownTitle(output), ...rows]
        : this.#list.shown(output, height)
    const filled = [...body, ...Array<string>(Math.max(0, height - body.length)).fill("")]
    this.terminal.draw([...filled.slice(0, height), ...last])
  }

  /** @param page undefined: the list. */
  open(page: Page | undefined): void {
    this.#page = page
  }

  ask(prompt: Prompt | Confirmation): void {
    this.#prompt = prompt
  }

  /** Asks, and drops the keys that were pressed before the question was on the screen. */
  askAboutNew(prompt: Prompt | Confirmation): void {
    this.ask(prompt)
    this.draw()
    this.terminal.forgetKeys()
  }

  tell(message: string): void {
    this.#message = message
  }

  filter(text: string): void {
    this.#filter = text
    this.#look.resolve()
  }

  /** Back to the list. Only `q` ends the program there: Escape may be meant for a prompt that is gone. */
  back(isQuit: boolean): void {
    if (this.#page) this.#page = undefined
    else if (isQuit) this.end()
  }

  /** Shows an error in words; an unexpected one ends the program. */
  async attempt(act: () => unknown): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#message = [error.message, ...error.hints].join(" ")
    }
  }

  async #press(key: Key): Promise<void> {
    const prompt = this.#prompt
    const move = MOVES[key.name]
    const by = move?.(this.shell.output.rows - BOTTOM_ROWS - 1)
    const isTyped = key.text !== "" && !(prompt instanceof Confirmation)
    if (prompt && (by === undefined || !this.#page || isTyped)) {
      const goesOn = await prompt.press(key)
      if (!goesOn && this.#prompt === prompt) this.#prompt = undefined
      return
    }
    if (by !== undefined && this.#page) this.#page.scroll(by)
    else if (by !== undefined) this.#list.move(by)
    else await KEYS.find(({ names }) => names.includes(key.name))?.press(this, key.name)
  }

  async #update(): Promise<void> {
    const { shell } = this
    try {
      const { output } = bufferOutput(shell, (shell.output.columns ?? 0) - MARGIN_COLUMNS)
      const narrower = { ...shell, output, nowMs: shell.nowMs }
      const { lines, isLive } = await this.#watched.look(narrower, this.#filter)
      this.#list.update(lines)
      this.#ring(lines)
      this.#trouble = isLive ? "" : ENDED
      if (isLive) await this.#page?.refresh(shell)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#trouble = error.message
    }
  }

  #ring(lines: readonly ListLine[]): void {
    const needing = lines.flatMap(({ task }) => (task?.attention ? task : []))
    const needs = new Set(needing.map(({ id, state, question }) => `${id} ${state} ${question}`))
    const isNew = this.#needs !== undefined && [...needs].some((need) => !this.#needs?.has(need))
    if (isNew && this.#watched.bell) this.shell.output.ringBell()
    this.#needs = needs
  }
}

const ENDED = "The daemon has ended. This was its last list; it updates again when a daemon runs."
