/** Splits a command line into its command, the command's arguments, and the options common to all. */
import { util } from "../../api/client/node-builtins.ts"
import { closest } from "../../base/text/suggest.ts"
import type { Option, Values } from "./command.ts"
import type { Listed } from "./commands.ts"
import { HELP_HINT, UsageError } from "./errors.ts"

export const COMMON_OPTIONS = {
  home: { type: "string", value: "<dir>", about: "Use the home of this folder (COPPICE_HOME)" },
  json: { type: "boolean", about: "Print JSON and nothing else on stdout" },
  help: { type: "boolean", short: "h", about: "Print help" },
} satisfies Record<string, Option>

export type Parsed = { readonly positionals: readonly string[]; readonly values: Values }

/** @throws UsageError naming the argument that it does not understand. */
export function parseArguments(
  args: readonly string[],
  command: string,
  options: Readonly<Record<string, Option>>,
): Parsed {
  const all = { ...COMMON_OPTIONS, ...options }
  try {
    return util.parseArgs({ args: [...args], options: all, allowPositionals: true }) as Parsed
  } catch (error) {
    throw new UsageError(explain(error as NodeJS.ErrnoException, Object.keys(all)), [
      `\`coppice ${command} --help\` lists its options.`,
    ])
  }
}

/** Node's own message ends in advice that does not apply here. */
function explain({ code, message }: NodeJS.ErrnoException, known: readonly string[]): string {
  const option = /'(?:-\w, )?(-[^' ]+)/.exec(message)?.[1] ?? ""
  if (code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE")
    return `${option} ${wrongValue(message, option)}.`
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return message
  const meant = closest(option.replace(/^-+/, ""), known)
  return `There is no option ${option}${meant ? `; did you mean --${meant}?` : "."}`
}

function wrongValue(message: string, option: string): string {
  if (message.includes("does not take")) return "takes no value"
  const dash = message.includes("ambiguous")
    ? `; a value that starts with a dash needs ${option}=-…`
    : ""
  return `needs a value${dash}`
}

/**
 * The command that `args` begin with, and the rest. Common options may come before it.
 *
 * @returns undefined without a command, or with `--help` after only the first word of one.
 * @throws UsageError for an unknown command.
 */
export function splitCommand(
  args: readonly string[],
  commands: readonly Listed[],
): { readonly listed: Listed; readonly rest: readonly string[] } | undefined {
  const at = commandAt(args)
  const name = args[at]
  if (name === undefined) return undefined
  for (const words of [2, 1]) {
    const wanted = args.slice(at, at + words).join(" ")
    const listed = commands.find((command) => command.name === wanted)
    if (listed) return { listed, rest: [...args.slice(0, at), ...args.slice(at + words)] }
  }
  const within = commands.filter((command) => command.name.startsWith(`${name} `))
  if (within.length === 0) throw unknownCommand(name, commands)
  if (asksForHelp(args)) return undefined
  const names = within.map((command) => `\`${command.name}\``).join(", ")
  const more = args.slice(at + 1).find((arg) => !arg.startsWith("-"))
  if (more === undefined)
    throw new UsageError(`\`${name}\` needs a second word.`, [`There is ${names}.`])
  throw new UsageError(`There is no command \`${name} ${more}\`.`, [`There is ${names}.`])
}

export const asksForHelp = (args: readonly string[]): boolean =>
  args.includes("--help") || args.includes("-h")

/** The index of the first word that is neither an option nor the value of `--home`; else -1. */
export function commandAt(args: readonly string[]): number {
  return args.findIndex((arg, at) => !arg.startsWith("-") && args[at - 1] !== "--home")
}

/** Words that people know from other programs. */
const USUAL: Readonly<Record<string, string | readonly string[]>> = {
  list: "ls",
  ps: "ls",
  tasks: "ls",
  start: "run",
  new: "run",
  add: "run",
  info: "show",
  view: "show",
  log: "logs",
  tail: "logs",
  rm: "delete",
  remove: "delete",
  stop: ["pause", "cancel", "down"],
  kill: "cancel",
  abort: "cancel",
  retry: "restart",
  continue: "resume",
  merge: "land",
  submit: "land",
  revert: "undo",
  rollback: "undo",
  send: "say",
  tell: "say",
  accept: "approve",
  deny: "reject",
  restore: "recover",
  clean: "gc",
  prune: "gc",
  check: "doctor",
  shutdown: "down",
}

function unknownCommand(name: string, commands: readonly Listed[]): UsageError {
  const names = commands.map((command) => command.name.split(" ")[0] ?? "")
  const usual = Object.hasOwn(USUAL, name) ? USUAL[name] : undefined
  const meant = [usual ?? closest(name, names) ?? []].flat().map((one) => `\`${one}\``)
  const help = meant.length > 0 ? `; did you mean ${anyOf(meant)}?` : "."
  return new UsageError(`There is no command \`${name}\`${help}`, [HELP_HINT])
}

const anyOf = (names: readonly string[]): string =>
  [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ")
