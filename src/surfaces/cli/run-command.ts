/**
 * Runs a command as the command line does, and keeps its output. The board has no actions of its own:
 * each key is a command that a person could type.
 */
import { parseArguments, splitCommand } from "./arguments.ts"
import { bufferOutput } from "./buffer-output.ts"
import type { Shell } from "./command.ts"
import { COMMANDS } from "./commands.ts"

/**
 * @param words the command's name and options, without operands.
 * @param operands never taken for options.
 * @returns the printed lines, notes included, with a terminal's colours.
 * @throws AppError as the command does.
 */
export async function runCommand(
  shell: Shell,
  words: readonly string[],
  operands: readonly string[],
): Promise<string[]> {
  const { output, written } = bufferOutput(shell, shell.output.columns ?? 0)
  const found = splitCommand([...words, "--", ...operands], COMMANDS)
  if (!found) throw new Error(`\`${words[0]}\` is not a command`)
  const { command } = await found.listed.load()
  const { positionals, values } = parseArguments(found.rest, found.listed.name, command.options)
  const quiet = { output, json: false, askLine: undefined, keyboard: undefined }
  // A lone dash is ordinary text here. Read as standard input, it would wait for ever.
  const readStdin = async () => "-"
  const readStdinBytes = () => Promise.reject(new Error("the keyboard is not a file"))
  const around = { ...shell, ...quiet, readStdin, readStdinBytes, nowMs: shell.nowMs }
  await command.run(around, positionals, values)
  return written().replace(/\n+$/, "").split("\n")
}
