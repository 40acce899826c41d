/**
 * The terminals of this page. They stay open while the person looks at other parts of the page.
 *
 * A lost connection goes on at the byte that the page has, and so does a page that is loaded again,
 * as far as the daemon has kept the output.
 */
import { useSyncExternalStore } from "react"
import { addressOf, ROUTES } from "../../src/api/wire/routes.ts"
import type { TerminalNote } from "../../src/features/terminals/wire.ts"
import { api, openSocket } from "./api.ts"
import { BASE } from "./place.ts"
import { RequestError, UNREACHABLE, wordsOf } from "./request-error.ts"
import type { Screen, Size } from "./screen.ts"

const RETRY_MS = 1_000
/** The daemon takes small messages. */
const KEYS_BYTES_MAX = 1_000
/** Output that was shown without telling the daemon; much less than it waits for. */
const UNTOLD_BYTES_MAX = 16 * 1024
/** By home, since this address has the pages of several. */
const STORAGE = `coppice-terminals${BASE}`

type State = "opening" | "open" | "lost" | "ended"
type Place = { readonly task: string; readonly repo: string }
/** `size`: of its box, when it was last shown. */
type Kept = Place & { readonly id: string; readonly size?: Size | undefined }

let all: readonly PageTerminal[] = []
let made = 0
const watchers = new Set<() => void>()

function update(terminals = all): void {
  all = [...terminals]
  sessionStorage.setItem(STORAGE, JSON.stringify(all.flatMap((one) => one.kept ?? [])))
  for (const watcher of watchers) watcher()
}

/** The terminals of a task, oldest first, those that were open before a reload included. */
export function useTerminals(task: string): readonly PageTerminal[] {
  const known = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => all,
  )
  return known.filter((one) => one.place.task === task)
}

/** @param typed keys that it gets when the shell is ready. */
export function addTerminal(place: Place, typed = ""): PageTerminal {
  const terminal = new PageTerminal({ ...place, id: "" }, typed)
  update([...all, terminal])
  return terminal
}

export class PageTerminal {
  readonly key = ++made
  readonly place: Place
  state: State = "opening"
  notice = ""
  /** Why it has ended, or is not open yet. */
  reason = ""
  #id: string
  #typed: string
  #screen: Screen | undefined
  #socket: WebSocket | undefined
  /** Bytes of the output that the page has, has shown, and has told the daemon of. */
  #bytes = { had: 0, shown: 0, told: 0 }
  #size: Size | undefined
  #isShown = false
  /** The person has seen its end. */
  #isOver = false

  constructor({ id, size, ...place }: Kept, typed: string) {
    this.place = place
    this.#id = id
    this.#size = size
    this.#typed = typed
  }

  /** The facts that outlive a reload of the page. */
  get kept(): Kept | undefined {
    if (!this.#id || this.state === "ended") return undefined
    return { ...this.place, id: this.#id, size: this.#size }
  }

  /** @param shown ends when the parent goes. @param onLeave called when the person leaves it by key. */
  async show(parent: HTMLElement, shown: AbortSignal, onLeave: () => void): Promise<void> {
    const screen = await this.#load()
    if (shown.aborted) return
    this.#onLeave = onLeave
    screen.show(parent)
    this.#isShown = true
    this.#isOver = this.#isEnded
    shown.addEventListener("abort", () => {
      this.#isShown = false
      screen.hide()
    })
    await this.#start(screen)
  }

  /** A shell ends soon after its page is gone, so a terminal that is not shown connects as well. */
  async restore(): Promise<void> {
    await this.#start(await this.#load())
  }

  /** Ends its shell; one that has ended leaves the page. */
  end(): void {
    if (this.state === "ended") this.#drop()
    else if (this.#socket?.readyState === WebSocket.OPEN) this.#say({ end: true })
    else this.#close("It was not open yet.")
  }

  /** One whose end the person has seen goes with the page of its task. */
  leave(): void {
    if (this.#isOver) this.#drop()
  }

  #drop(): void {
    if (this.#socket) this.#socket.onmessage = null
    this.#screen?.dispose()
    update(all.filter((one) => one !== this))
  }

  get #isEnded(): boolean {
    return this.state === "ended"
  }

  async #start(screen: Screen): Promise<void> {
    if (this.#isBegun) return
    this.#isBegun = true
    await this.#connect(screen)
  }

  #isBegun = false
  #onLeave = () => {}

  async #load(): Promise<Screen> {
    const { Screen } = await import("./screen.ts")
    const events = {
      onKeys: (bytes: Uint8Array<ArrayBuffer>) => this.#send(bytes),
      onSize: (size: Size) => this.#resize(size),
      onLeave: () => this.#onLeave(),
    }
    this.#screen ??= new Screen(events, this.#size)
    return this.#screen
  }

  #resize(size: Size): void {
    this.#size = size
    this.#say(size)
    update()
  }

  async #connect(screen: Screen): Promise<void> {
    if (this.#isEnded) return
    const { repo, task } = this.place
    const known = this.#id ? { terminal: this.#id, after: this.#bytes.had } : {}
    try {
      const asked = { ...screen.size, repo, ...known }
      await api.terminal(task, asked) // the answer says why a terminal does not open
      const query = new URLSearchParams(
        Object.entries(asked).map(([name, value]) => [name, `${value}`]),
      )
      const socket = await openSocket(`${addressOf(ROUTES.terminal.at, task).path}?${query}`)
      if (this.#isEnded) return endThrough(socket)
      socket.binaryType = "arraybuffer"
      this.#socket = socket
      socket.onmessage = ({ data }) =>
        typeof data === "string"
          ? this.#obey(JSON.parse(data) as TerminalNote, screen)
          : this.#write(new Uint8Array(data as ArrayBuffer), screen)
      socket.onclose = () => this.#disconnect(screen, "The connection was lost.")
    } catch (error) {
      const isGone = error instanceof RequestError && error.code === UNREACHABLE
      if (isGone) this.#disconnect(screen, wordsOf(error))
      else this.#close(wordsOf(error))
    }
  }

  #obey({ terminal, next, notice, ended }: TerminalNote, screen: Screen): void {
    const isFirst = this.state !== "open"
    this.notice = notice ?? ""
    if (ended !== null) this.#close(ended)
    else if (isFirst) this.#begin(terminal, next, screen)
    else update()
  }

  #begin(id: string, next: number, screen: Screen): void {
    this.#id = id
    this.#bytes = { had: next, shown: next, told: next }
    this.#say(screen.size) // the size may have changed since the request
    screen.isOpen = true
    this.#set("open")
  }

  #write(output: Uint8Array, screen: Screen): void {
    this.#bytes.had += output.length
    const bytes = this.#bytes
    screen.write(output, () => {
      bytes.shown += output.length
      if (bytes !== this.#bytes || bytes.shown - bytes.told < UNTOLD_BYTES_MAX) return
      bytes.told = bytes.shown
      this.#say({ seen: bytes.shown })
    })
    const typed = this.#typed
    this.#typed = ""
    if (typed) this.#send(new TextEncoder().encode(typed)) // the shell has written its prompt
  }

  #send(keys: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    for (let at = 0; at < keys.length; at += KEYS_BYTES_MAX)
      this.#socket.send(keys.subarray(at, at + KEYS_BYTES_MAX))
  }

  #say(words: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(words))
  }

  #disconnect(screen: Screen, reason: string): void {
    this.#socket = undefined
    if (this.state === "ended") return
    screen.isOpen = false
    this.reason = reason
    this.#set("lost")
    setTimeout(() => void this.#connect(screen), RETRY_MS)
  }

  #close(reason: string): void {
    this.reason = reason
    this.notice = ""
    this.#isOver = this.#isShown
    if (this.#screen) this.#screen.isOpen = false
    this.#set("ended")
    this.#socket?.close()
  }

  #set(state: State): void {
    this.state = state
    update()
  }
}

/** The person ended it while it was connecting. */
function endThrough(socket: WebSocket): void {
  socket.onopen = () => {
    socket.send(JSON.stringify({ end: true }))
    socket.close()
  }
}

const restored: readonly Kept[] = JSON.parse(sessionStorage.getItem(STORAGE) ?? "[]")
all = restored.map((one) => new PageTerminal(one, ""))
addEventListener("hashchange", () => {
  const [, , task] = location.hash.split("/") // `#/task/<id>`
  for (const one of all) if (one.place.task !== task) one.leave()
})
/** The terminal that is shown connects first, in the size of its screen. */
for (const one of all) setTimeout(() => void one.restore(), RETRY_MS)
