/**
 * One shell of a person, and the page that shows it.
 *
 * Output is kept until the page has shown it, and a bit longer, so a page that lost its connection
 * misses nothing. While too much is not shown yet, or no page is there, the shell waits.
 */
import { randomBytes } from "node:crypto"
import type { TaskId } from "../../base/ids.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import { keysFrame, sizeFrame, type TerminalSize } from "./terminal-frames.ts"
import type { TerminalNote } from "./wire.ts"

/** Output on its way to a page. A browser shows more than this in a tenth of a second. */
const UNSEEN_BYTES_MAX = 256 * 1024
/** Output for a page that was loaded again: several screens. */
const KEPT_BYTES_MAX = 256 * 1024
/** A shell that writes byte by byte would leave a buffer for each. */
const SMALL_BYTES_MAX = 1024
/** A page that is loaded again needs a second or two. After this, it was closed. */
const AWAY_MS_MAX = 10_000
/** Time to end by itself: an interactive shell ignores SIGTERM, but ends when its terminal hangs up. */
const END_MS = 1_000

export type Page = {
  send(output: Buffer): void
  note(note: TerminalNote): void
  /** Nothing more follows. */
  close(): void
}

/** Where the terminal was opened. */
export type TerminalPlace = {
  readonly task: TaskId
  readonly repo: string
  readonly folder: string
}

export class Terminal {
  readonly id = randomBytes(8).toString("hex")
  readonly place: TerminalPlace
  readonly #child: OwnedChild
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  /** All output so far. */
  #bytes = 0
  #seenBytes = 0
  #page: Page | undefined
  #away: NodeJS.Timeout | undefined
  #notice: string | null = null
  #ended: string | null = null
  /** Settles only if the shell cannot be ended. */
  readonly #unendable = Promise.withResolvers<never>()

  constructor(place: TerminalPlace, child: OwnedChild) {
    this.place = place
    this.#child = child
    child.child.stdout?.on("data", (output: Buffer) => this.#keep(output))
    child.child.stderr?.resume()
    this.#letRun()
  }

  /** Resolves when nothing of the shell is left. Rejects if it cannot be ended. */
  async untilEnded(): Promise<void> {
    const { code } = await Promise.race([this.#child.exited, this.#unendable.promise])
    clearTimeout(this.#away)
    this.#ended ??= code === 0 ? "The shell has ended." : `The shell has ended (exit code ${code}).`
    this.#page?.note(this.#note())
    this.#page?.close()
    this.#page = undefined
  }

  /** Shows it in `page` alone, from the byte `after` on if that is still kept. */
  connect(page: Page, after: number): void {
    const other = this.#page
    other?.note({ ...this.#note(), ended: "Another page shows this terminal now." })
    other?.close()
    clearTimeout(this.#away)
    this.#page = page
    const from = Math.min(Math.max(after, this.#bytes - this.#keptBytes), this.#bytes)
    this.#seenBytes = from
    page.note({ ...this.#note(), next: from })
    const kept = Buffer.concat(this.#kept)
    if (from < this.#bytes) page.send(kept.subarray(kept.length - (this.#bytes - from)))
    this.#letRun()
  }

  /** The page has gone, and may come back. */
  disconnect(page: Page): void {
    if (this.#page !== page) return
    this.#page = undefined
    this.#letRun()
    this.#away = setTimeout(() => this.end("Its page was closed."), AWAY_MS_MAX)
  }

  /** @returns false if the page must wait for `onTaken` before it sends more. */
  type(keys: Buffer, onTaken: () => void): boolean {
    const input = this.#child.child.stdin
    if (!input?.writable || input.write(keysFrame(keys))) return true
    input.once("drain", onTaken)
    return false
  }

  resize(size: TerminalSize): void {
    if (this.#child.child.stdin?.writable) this.#child.child.stdin.write(sizeFrame(size))
  }

  /** The page has shown the first `bytes` bytes of all output. */
  see(bytes: number): void {
    this.#seenBytes = Math.min(Math.max(bytes, this.#seenBytes), this.#bytes)
    this.#letRun()
  }

  /** Tells the page about work of Coppice in the worktree; null: there is none. */
  notify(notice: string | null): void {
    if (notice === this.#notice) return
    this.#notice = notice
    this.#page?.note(this.#note())
  }

  /** @param reason one sentence. */
  end(reason: string): void {
    this.#ended ??= reason
    this.#child.end(END_MS).catch(this.#unendable.reject)
  }

  #note(): TerminalNote {
    return { terminal: this.id, next: this.#bytes, notice: this.#notice, ended: this.#ended }
  }

  #keep(output: Buffer): void {
    const last = this.#kept.at(-1)
    if (last && last.length + output.length <= SMALL_BYTES_MAX)
      this.#kept.splice(-1, 1, Buffer.concat([last, output]))
    else this.#kept.push(output)
    this.#keptBytes += output.length
    this.#bytes += output.length
    for (let [oldest] = this.#kept; oldest && this.#mayForget(oldest); [oldest] = this.#kept) {
      this.#kept.shift()
      this.#keptBytes -= oldest.length
    }
    this.#page?.send(output)
    this.#letRun()
  }

  #mayForget({ length }: Buffer): boolean {
    const isSeen = this.#bytes - this.#keptBytes + length <= this.#seenBytes
    return isSeen && this.#keptBytes - length >= KEPT_BYTES_MAX
  }

  #letRun(): void {
    const isBehind = this.#bytes - this.#seenBytes >= UNSEEN_BYTES_MAX
    if (this.#page && !isBehind) this.#child.child.stdout?.resume()
    else this.#child.child.stdout?.pause()
  }
}
