import { once } from "node:events"
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import { ProcessOwner } from "../../kernel/process/owner.ts"
import { readIdentity } from "../../kernel/process/process-identity.ts"
import { keysFrame, sizeFrame, TERMINAL_HOST } from "./terminal-frames.ts"

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "terminal-")))
afterAll(() => rmSync(cwd, { recursive: true }))
const LAUNCHER = resolve(import.meta.dirname, "../../../bin/coppice.js")
const env = { PATH: process.env["PATH"]!, HOME: cwd, PS1: "$ ", TERM: "xterm-256color" }

class Shell implements AsyncDisposable {
  readonly owner = new ProcessOwner({ mark: `terminal-${process.pid}-${Math.random()}` })
  text = ""
  child!: OwnedChild

  async start(): Promise<this> {
    const words = [LAUNCHER, TERMINAL_HOST, "80", "24", "/bin/sh"]
    const options = { cwd, env, purpose: "terminal", task: null } as const
    this.child = await this.owner.spawn(process.execPath, words, options)
    this.child.child.stdout!.on("data", (bytes: Buffer) => {
      this.text += bytes
    })
    // The terminal echoes earlier words before the prompt.
    await this.shows(/\$ $/)
    return this
  }

  type(text: string): void {
    this.child.child.stdin!.write(keysFrame(Buffer.from(text)))
  }

  resize(columns: number, rows: number): void {
    this.child.child.stdin!.write(sizeFrame({ columns, rows }))
  }

  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    try {
      return await waitFor(String(wanted), () => wanted.exec(this.text) ?? false)
    } catch (error) {
      throw new Error(`it is not in ${JSON.stringify(this.text)}`, { cause: error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owner[Symbol.asyncDispose]()
  }
}

const isGone = (pid: number) => () => readIdentity(pid) === undefined

test("a shell has a terminal of the size that the daemon says, and no mark of a daemon", async () => {
  await using shell = await new Shell().start()
  shell.type("stty size; tty; echo mark=${COPPICE_PROCESS:-none}\n")
  await shell.shows(/\n24 80\r\n\/dev\/\S+\r\nmark=none\r\n/)
  shell.resize(101, 33)
  shell.type("stty size\n")
  await shell.shows(/\n33 101\r\n/)
})

test("Ctrl-C interrupts the program in the foreground, and the shell goes on", async () => {
  await using shell = await new Shell().start()
  shell.type("sh -c 'echo up-$((1 + 1)); exec sleep 1000'; echo code=$?\n")
  await shell.shows(/\nup-2\r\n/)
  shell.type("\u0003")
  await shell.shows(/\$ $/)
  shell.type("echo alive-$((1 + 1))\n")
  await shell.shows(/\nalive-2\r\n/)
})

test("its exit code is the shell's, and its output is whole", async () => {
  await using shell = await new Shell().start()
  shell.type("i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line-$i; done; exit 7\n")
  expect(await shell.child.exited).toEqual({ code: 7, signal: null })
  expect(shell.text).toContain("\nline-3000\r\n")
})

test.each(["its end", "a kill of the host"])(
  "the shell and what runs in it end with %s",
  async (how) => {
    await using shell = await new Shell().start()
    shell.type("echo pid=$$; sh -c 'echo inner=$$; exec sleep 1000'\n")
    const pid = Number((await shell.shows(/pid=(\d+)/))[1])
    const inner = Number((await shell.shows(/inner=(\d+)/))[1])
    if (how === "its end") await shell.child.end()
    else process.kill(shell.child.pid, "SIGKILL")
    await waitFor("the shell's end", isGone(pid))
    await waitFor("its program's end", isGone(inner))
  },
)

test("a program waits while its output is not read, and goes on afterwards", async () => {
  await using shell = await new Shell().start()
  await shell.shows(/\$/)
  const { stdout } = shell.child.child
  stdout!.pause()
  shell.type(
    `head -c 3000000 /dev/zero | tr '\\0' x; touch "${cwd}/written"; echo; echo done-$((4+4))\n`,
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(existsSync(join(cwd, "written"))).toBe(false)
  stdout!.resume()
  await shell.shows(/done-8/)
  expect(shell.text.match(/x+/g)!.join("").length).toBeGreaterThanOrEqual(3_000_000)
})

test("a host whose input ends hangs up: nothing outlives a daemon", async () => {
  await using shell = await new Shell().start()
  shell.type("echo pid=$$\n")
  const pid = Number((await shell.shows(/pid=(\d+)/))[1])
  shell.child.child.stdin!.end()
  await once(shell.child.child, "exit")
  await waitFor("the shell's end", isGone(pid))
})
