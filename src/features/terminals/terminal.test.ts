import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { TaskId } from "../../base/ids.ts"
import { ProcessOwner } from "../../kernel/process/owner.ts"
import { type Page, Terminal } from "./terminal.ts"
import { TERMINAL_HOST } from "./terminal-frames.ts"
import type { TerminalNote } from "./wire.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "terminal-")))
afterAll(() => rmSync(folder, { recursive: true }))
const LAUNCHER = resolve(import.meta.dirname, "../../../bin/coppice.js")
const UNSEEN_BYTES_MAX = 512 * 1024

class TestPage implements Page {
  text = ""
  bytes = 0
  notes: TerminalNote[] = []
  isClosed = false

  send(output: Buffer): void {
    this.bytes += output.length
    this.text += output.toString("latin1")
  }

  note(note: TerminalNote): void {
    this.notes.push(note)
  }

  close(): void {
    this.isClosed = true
  }

  async shows(wanted: RegExp): Promise<void> {
    await waitFor(`${wanted} in ${this.text.slice(-200)}`, () => wanted.test(this.text))
  }
}

async function openTerminal() {
  const owner = new ProcessOwner({ mark: `page-${process.pid}-${Math.random()}` })
  const env = { PATH: process.env["PATH"]!, HOME: folder, PS1: "$ " }
  const words = [LAUNCHER, TERMINAL_HOST, "80", "24", "/bin/sh"]
  const options = { cwd: folder, env, purpose: "terminal", task: null } as const
  const child = await owner.spawn(process.execPath, words, options)
  const terminal = new Terminal({ task: 1 as TaskId, repo: "app", folder }, child)
  const ended = terminal.untilEnded()
  const type = (text: string) => terminal.type(Buffer.from(text), () => {})
  return { terminal, child, ended, type, [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose]() }
}

test("a page that comes back gets the bytes that it does not have, each once [38.34]", async () => {
  await using it = await openTerminal()
  const first = new TestPage()
  it.terminal.connect(first, 0)
  await first.shows(/\$ $/) // else the prompt stands before the first line
  it.type("echo one-$((1 + 1))\n")
  await first.shows(/\none-2\r\n\$ /)
  it.terminal.disconnect(first)
  it.type("echo two-$((1 + 1))\n")
  const second = new TestPage()
  it.terminal.connect(second, first.bytes)
  expect(second.notes).toMatchObject([{ next: first.bytes, terminal: it.terminal.id }])
  await second.shows(/\ntwo-2\r\n\$ /)
  expect(second.text).not.toContain("one-2")
  expect(first.text).not.toContain("two-2")
  const third = new TestPage()
  it.terminal.connect(third, 0)
  expect(third.text).toBe(first.text + second.text)
  expect(second).toMatchObject({ isClosed: true })
  expect(second.notes.at(-1)).toMatchObject({ ended: "Another page shows this terminal now." })
})

test("a page that shows nothing stops the shell, and nothing is lost when it goes on [38.39]", async () => {
  await using it = await openTerminal()
  const page = new TestPage()
  it.terminal.connect(page, 0)
  await page.shows(/\$ $/) // else the prompt stands before the first line
  it.type("i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); echo line-$i-xxxxxxxxxxxxxxxx; done\n")
  let last = -1
  await waitFor("a stop", async () => {
    const before = page.bytes
    await new Promise((resolve) => setTimeout(resolve, 300))
    last = page.bytes
    return before === last && last > 100_000
  })
  expect(last).toBeLessThanOrEqual(UNSEEN_BYTES_MAX)
  const timer = setInterval(() => it.terminal.see(page.bytes), 1)
  await page.shows(/line-60000-x+\r\n/)
  clearInterval(timer)
  const lines = page.text.match(/(?<=\nline-)\d+(?=-)/g)!
  expect(lines).toEqual(Array.from({ length: 60_000 }, (_, at) => String(at + 1)))
})

test("a terminal tells its page why it ends: by its shell, or by another's word [38.35]", async () => {
  await using it = await openTerminal()
  const page = new TestPage()
  it.terminal.connect(page, 0)
  it.terminal.notify("It lands.")
  it.terminal.notify("It lands.")
  it.type("exit 3\n")
  await it.ended
  expect(page.isClosed).toBe(true)
  expect(page.notes.map(({ notice, ended }) => [notice, ended])).toEqual([
    [null, null],
    ["It lands.", null],
    ["It lands.", "The shell has ended (exit code 3)."],
  ])
  await using other = await openTerminal()
  const second = new TestPage()
  other.terminal.connect(second, 0)
  other.terminal.end("The work has landed.")
  await other.ended
  expect(second.notes.at(-1)).toMatchObject({ ended: "The work has landed." })
})

test("a shell that cannot be ended is an error, which its owner hears", async () => {
  await using it = await openTerminal()
  const end = () => Promise.reject(new Error("no signal reaches it"))
  const terminal = new Terminal(it.terminal.place, { ...it.child, end })
  const ended = terminal.untilEnded()
  terminal.end("Its page was closed.")
  await expect(ended).rejects.toThrow("no signal reaches it")
})
