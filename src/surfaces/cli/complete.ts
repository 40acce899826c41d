/** Finds the words that may follow on a command line. The table of commands says which fit where. */
import type { CompletionsDocument } from "../../api/wire/shell.ts"
import { COMMON_OPTIONS, commandAt } from "./arguments.ts"
import type { Command, Option } from "./command.ts"
import { COMMANDS, type Listed } from "./commands.ts"
import { CandidateValues, type Place } from "./complete-values.ts"
import { TOPICS } from "./topics.ts"

type Candidates = CompletionsDocument["candidates"]
type Options = Readonly<Record<string, Option>>

/** Commands that main.ts knows without the table. */
const MORE = [
  { value: "help", about: "Explain a command or a topic" },
  { value: "version", about: "Print the version" },
]

/**
 * @param words the words after `coppice`; the last is being typed, and may be empty.
 * @returns the candidates that begin with it.
 */
export async function complete(
  words: readonly string[],
  place: Place,
): Promise<CompletionsDocument> {
  const joined = joinValues(words)
  const typed = joined.at(-1) ?? ""
  const { candidates, paths } = await follow(joined.slice(0, -1), typed, place)
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), paths }
}

/** Bash splits `--agent=cl` into three words. */
function joinValues(words: readonly string[]): readonly string[] {
  const joined = words.filter((word, at) => word !== "=" || !words[at - 1]?.startsWith("--"))
  return words.at(-1) === "=" ? [...joined, ""] : joined
}

async function follow(
  before: readonly string[],
  typed: string,
  place: Place,
): Promise<CompletionsDocument> {
  const found = await commandIn(before)
  const options: Options = { ...COMMON_OPTIONS, ...found?.command.options }
  const { positionals, open } = scan(found?.rest ?? before, options)
  const homeAt = before.indexOf("--home")
  const home = homeAt < 0 ? undefined : before[homeAt + 1]
  const values = new CandidateValues({ ...place, home })
  const name = /^--([^=]+)=/.exec(typed)?.[1]
  if (name !== undefined) {
    const { candidates, paths } = await valuesOf(options[name], values)
    const whole = candidates.map((one) => ({ ...one, value: `--${name}=${one.value}` }))
    return { candidates: whole, paths }
  }
  if (open) return await valuesOf(open, values)
  if (typed.startsWith("-")) return { candidates: optionsAs(options), paths: null }
  if (!found) return { candidates: wordsAfter(positionals), paths: null }
  const { candidates, paths } = await values.find(placeOf(found.command, positionals.length))
  const further = wordsAfter(scan(before, options).positionals) // `queue`, and `queue move`
  return { candidates: [...further, ...candidates], paths }
}

type Found = { readonly command: Command; readonly rest: readonly string[] }

/** The command that the words name, with the words that are not its name. */
async function commandIn(words: readonly string[]): Promise<Found | undefined> {
  const at = commandAt(words)
  for (const count of at < 0 ? [] : [2, 1]) {
    const name = words.slice(at, at + count).join(" ")
    const listed = COMMANDS.find((one) => one.name === name)
    if (!listed) continue
    const { command } = await listed.load()
    return { command, rest: [...words.slice(0, at), ...words.slice(at + count)] }
  }
  return undefined
}

/** @returns `open`: the option whose value comes next. */
function scan(words: readonly string[], options: Options) {
  const positionals: string[] = []
  let open: Option | undefined
  for (const word of words) {
    if (open) open = undefined
    else if (word.startsWith("-")) open = takingNext(word, options)
    else positionals.push(word)
  }
  return { positionals, open }
}

function takingNext(word: string, options: Options): Option | undefined {
  const letter = /^-[^-]*([^-])$/.exec(word)?.[1]
  const option = letter
    ? Object.values(options).find(({ short }) => short === letter)
    : options[word.slice(2)]
  return option?.type === "string" ? option : undefined
}

async function valuesOf(
  option: Option | undefined,
  values: CandidateValues,
): Promise<CompletionsDocument> {
  const { choices, value = "" } = option ?? {}
  if (!choices) return await values.find(value)
  return { candidates: choices.map((choice) => ({ value: choice, about: "" })), paths: null }
}

/** `<task…>` stands for any number of them; `<key> <value>` for one after the other. */
function placeOf({ operands }: Command, count: number): string {
  const places = operands.match(/[<[][^>\]]+[>\]]/g) ?? []
  const last = places.at(-1) ?? ""
  return places[count] ?? (last.includes("…") ? last : "")
}

function optionsAs(options: Options): Candidates {
  return Object.entries(options).map(([name, { about }]) => ({ value: `--${name}`, about }))
}

/** The first or second word of a command; after `help`, what it explains. */
function wordsAfter([first, second]: readonly string[]): Candidates {
  if (first === undefined) return [...firstWords(COMMANDS), ...MORE]
  if (second !== undefined) return []
  if (first === "help")
    return [
      ...TOPICS.map(({ name, summary }) => ({ value: name, about: summary })),
      ...firstWords(COMMANDS),
    ]
  return COMMANDS.flatMap(({ name, summary }) =>
    name.startsWith(`${first} `) ? [{ value: name.slice(first.length + 1), about: summary }] : [],
  )
}

function firstWords(commands: readonly Listed[]): Candidates {
  const words = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? name)
  return [...words].map(([value, of]) => ({
    value,
    about: of.length > 1 ? `${of.length} commands` : (of[0]?.summary ?? ""),
  }))
}
