/**
 * Finds the values that complete an operand or an option: tasks, agents, branches.
 *
 * If they cannot be read, there are none: a person who presses Tab expects no error.
 */
import { askProgram } from "../../api/client/ask-program.ts"
import { findHome, type Home } from "../../api/client/home.ts"
import type { CompletionsDocument, NamesDocument } from "../../api/wire/shell.ts"
import { AppError } from "../../base/errors.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { SHELLS } from "./completion-scripts.ts"
import { cut } from "./format/text.ts"

type Candidates = CompletionsDocument["candidates"]

/** Where the command line is typed. */
export type Place = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads the names in a home, and starts no daemon. */
  readNames(home: Pick<Home, "home" | "configPath">): Promise<NamesDocument>
}

type Context = Place & { readonly home: string | undefined }

/** A shell takes other characters as its own syntax. */
const PLAIN = /^[\p{L}\p{N}_@%+:,./][\p{L}\p{N}_@%+:,./-]*$/u
const ABOUT_COLUMNS_MAX = 60
const RESCUES = "refs/coppice/rescue/"
/** More than a person looks through. */
const REFS_MAX = 200
const ANSWER_MS_MAX = 2_000

/** By the word in a placeholder: `<task | branch>`. */
const KINDS: Readonly<Record<string, (values: CandidateValues) => Promise<Candidates>>> = {
  task: async (values) =>
    (await values.names()).tasks.map(({ id, title, state }) => ({
      value: id,
      about: cut(`${state}: ${oneLine(title)}`, ABOUT_COLUMNS_MAX),
    })),
  agent: async (values) => named((await values.names()).agents),
  repo: async (values) => named((await values.names()).repos),
  state: async () =>
    named(Object.keys((await import("../../kernel/tasks/rules/state-about.ts")).STATE_ABOUT)),
  branch: (values) => values.refs("refs/heads/"),
  ref: (values) => values.refs(RESCUES),
  key: async () => {
    const keys = (await import("../../config/keys.ts")).listConfigKeys().map(keyAs)
    return [...new Map(keys.map((key) => [key.value, key])).values()]
  },
  shell: async () => named(SHELLS),
}

const PATHS: Readonly<Record<string, CompletionsDocument["paths"]>> = {
  dir: "folders",
  path: "folders",
  worktree: "folders",
  paths: "files",
}

export class CandidateValues {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** @param place `<task | branch | worktree>`, `[paths]`. Any other place has no candidates. */
  async find(place: string): Promise<CompletionsDocument> {
    const words = place.match(/[a-z]+/g) ?? []
    const found = await Promise.all(words.map((word) => KINDS[word]?.(this) ?? []))
    const candidates = found.flat().filter(({ value }) => PLAIN.test(value))
    const paths = words.map((word) => PATHS[word]).find((one) => one) ?? null
    return { candidates, paths }
  }

  async names(): Promise<NamesDocument> {
    const home = this.#home()
    if (!home) return { tasks: [], agents: [], repos: [] }
    return await this.#context.readNames(home)
  }

  /** The names of refs below `prefix`. */
  async refs(prefix: string): Promise<Candidates> {
    const repo = this.#home()?.repo
    if (!repo) return []
    const format = `--format=%(refname:lstrip=${prefix.split("/").length - 1})`
    const command = ["git", "-C", repo, "for-each-ref", `--count=${REFS_MAX}`, format, prefix]
    const answer = await askProgram(command, this.#context.env, ANSWER_MS_MAX)
    return named("said" in answer ? answer.said.split("\n").filter(Boolean) : [])
  }

  #home(): Home | undefined {
    const { cwd, home, env } = this.#context
    try {
      return findHome(cwd, { home, env })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return undefined
    }
  }
}

const named = (values: readonly string[]): Candidates =>
  values.map((value) => ({ value, about: "" }))

/** A name takes the place of `*`, and a person types it. */
const keyAs = ({ path, about }: { readonly path: string; readonly about: string }) => ({
  value: path.split(".*")[0] ?? path,
  about: path.includes("*") ? "" : cut(about, ABOUT_COLUMNS_MAX),
})
