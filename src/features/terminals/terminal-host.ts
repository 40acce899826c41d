/**
 * The process between the daemon and a person's shell: it has the other end of the shell's terminal.
 *
 *   daemon ──frames──► host ──► pseudo terminal ──► shell
 *          ◄──bytes───      ◄──                 ◄──
 *
 * Node-pty leaves that end open for every program that its process starts. In the daemon, an agent
 * would get the keyboard of the person's shell. So each terminal has a process that starts nothing else.
 * When it ends, however it ends, the system hangs up on the shell.
 */
import { Socket } from "node:net"
import { ReadStream } from "node:tty"
import { MARK_VARIABLE } from "../../kernel/process/process-table.ts"
import { loadPty } from "./pty-binding.ts"
import { frameReader } from "./terminal-frames.ts"

/** Output that a shell has left in its terminal comes at once. */
const DRAIN_MS_MAX = 200
const SIGNAL_CODE = 128

/** @param args columns, rows, and the shell's path. @returns the shell's exit code. */
export async function hostTerminal(args: readonly string[]): Promise<number> {
  const [columns = "", rows = "", shell = ""] = args
  const { fork, resize, helper } = loadPty()
  const { promise: ended, resolve } = Promise.withResolvers<number>()
  const onExit = (code: number, signal: number) => resolve(signal ? SIGNAL_CODE + signal : code)
  const size = [Number(columns), Number(rows)] as const
  const { fd } = fork(shell, [], variables(), process.cwd(), ...size, -1, -1, true, helper, onExit)
  const terminal = new ReadStream(fd)
  const output = new Socket({ fd: 1, readable: false }) // process.stdout would wait for its reader
  const closed = new Promise<void>((resolve) => terminal.once("close", resolve))
  terminal.on("error", () => terminal.destroy()) // nothing holds its other end any more
  output.on("error", hangUp)
  terminal.pipe(output)
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, hangUp)
  process.stdin.on("end", hangUp)
  process.stdin.on(
    "data",
    readerOf(terminal, (now) => resize(fd, now.columns, now.rows)),
  )
  const code = await ended
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_MS_MAX))])
  await new Promise<void>((resolve) => output.end(resolve))
  process.exit(code)
}

/** Keys wait while the shell reads none, and so does what comes after them. */
function readerOf(terminal: ReadStream, onSize: Parameters<typeof frameReader>[0]["onSize"]) {
  const onKeys = (bytes: Buffer) => {
    if (terminal.destroyed || (terminal as unknown as Socket).write(bytes)) return
    process.stdin.pause()
    terminal.once("drain", () => process.stdin.resume())
  }
  return frameReader({ onKeys, onSize: (size) => terminal.destroyed || onSize(size) })
}

/** The person may do what an agent may not, so the mark of our processes does not pass. */
function variables(): readonly string[] {
  return Object.entries(process.env)
    .filter(([name]) => name !== MARK_VARIABLE)
    .map(([name, value]) => `${name}=${value}`)
}

function hangUp(): never {
  process.exit(0)
}
