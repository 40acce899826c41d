/**
 * Has `permissions` decide what Codex asks before it uses a tool.
 *
 * The names of tools are those of Claude Code, so that a rule serves both. A denial has no text in the
 * protocol, so they reach the agent as part of its turn. A tool that was used unasked is found out.
 */
import { userInfo } from "node:os"
import { splitWords } from "../../base/text/split-words.ts"
import type { SessionStart, ToolUse } from "../../kernel/runtime/runtime.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"

/** Our own verbs need no permission: they only report. */
const OWN_SERVER = "coppice"
const UNREADABLE = "Coppice cannot tell what this would do. Do it in another way."

/** An answer to the program, and the reason of a denial, for the agent. */
export type Approval = { readonly answer: Fields; readonly why: string | undefined }

export class CodexApprovals {
  readonly #session: Pick<SessionStart, "person" | "signal" | "place">
  /** The items that have begun and not ended, by thread and id. */
  readonly #items = new Map<string, Fields>()
  /** Items, and tools of servers, that it asked for and has not used yet. */
  readonly #asked: string[] = []

  constructor(session: Pick<SessionStart, "person" | "signal" | "place">) {
    this.#session = session
  }

  began(params: Fields): void {
    this.#items.set(idOf(params), fieldsOf(params["item"]))
  }

  /** @returns the tool that it used without asking; undefined: none. */
  ended(params: Fields): string | undefined {
    const item = fieldsOf(params["item"])
    const id = idOf(params)
    this.#items.delete(id)
    const at = this.#asked.indexOf(item["type"] === "mcpToolCall" ? toolOf(item) : id)
    if (at >= 0) this.#asked.splice(at, 1)
    if (at >= 0 || !this.#session.person.permit || !isDone(item)) return undefined
    return textOf(item["command"]) || toolOf(item)
  }

  /** Answers a request for a command or a change of files. */
  async decide(params: Fields): Promise<Approval> {
    const id = `${params["threadId"]} ${params["itemId"]}`
    this.#asked.push(id)
    const item = this.#items.get(id) ?? {}
    const uses = item["type"] === "fileChange" ? changesIn(item) : this.#commandIn(params)
    const why = await this.#denial(uses)
    return { answer: { decision: why === undefined ? "accept" : "decline" }, why }
  }

  /** Answers a request for a tool of a server. */
  async decideTool({ serverName, _meta }: Fields): Promise<Approval> {
    const { tool_name: tool, tool_params } = fieldsOf(_meta)
    this.#asked.push(toolOf({ server: serverName, tool }))
    const use = {
      tool: `mcp__${textOf(serverName)}__${textOf(tool)}`,
      input: fieldsOf(tool_params),
    }
    const why = serverName === OWN_SERVER ? undefined : await this.#denial([use])
    const action = why === undefined ? "accept" : "decline"
    return { answer: { action, content: {}, _meta: null }, why }
  }

  /** @returns why the first of them that is denied is; undefined: all are allowed. */
  async #denial(uses: readonly ToolUse[]): Promise<string | undefined> {
    const { person, signal } = this.#session
    if (!person.permit) return undefined
    if (uses.length === 0) return UNREADABLE
    for (const use of uses) {
      const end = await person.permit(use, signal)
      if (end.kind === "denied") return end.message
    }
    return undefined
  }

  /** None: it is no command, but text for a program that runs, or it is empty. */
  #commandIn({ kind = "command", command, cwd }: Fields): ToolUse[] {
    if (kind !== "command") return []
    const elsewhere = cwd === this.#session.place.cwd ? {} : { cwd }
    return scriptsIn(textOf(command)).map((script) => ({
      tool: "Bash",
      input: { command: script, ...elsewhere },
    }))
  }
}

const idOf = ({ threadId, item }: Fields) => `${threadId} ${fieldsOf(item)["id"]}`

const toolOf = ({ server, tool, type }: Fields) =>
  server === undefined ? textOf(type) : `${textOf(server)}: ${textOf(tool)}`

const GUARDED = /^(commandExecution|fileChange|mcpToolCall|dynamicToolCall|webSearch|image.*)$/

/** Whether a tool ran. Our own verbs ask too, except those that only read. */
function isDone({ type, server, status, exitCode }: Fields): boolean {
  if (!GUARDED.test(textOf(type)) || server === OWN_SERVER) return false
  if (type === "commandExecution") return typeof exitCode === "number"
  return status === undefined || status === "completed"
}

/** The shells of a system. The program also starts that of its user, wherever that is. */
const SHELL = /^(\/usr)?(\/local)?\/bin\/(ba|z|da)?sh$/
const NAMED_AS_SHELL = /(^|\/)(ba|z|da|k)?sh$/

/**
 * The script of a command. The request has the words of `bash -lc <script>`, quoted for a shell, so
 * that taking the quotes away gives the script back as the agent wrote it.
 *
 * @returns all that must be allowed. The agent can make a program that is named as a shell, so the command
 * of such a one counts too. Empty: it cannot be read.
 */
export function scriptsIn(command: string, ownShell = findOwnShell()): string[] {
  const split = splitWords(command)
  if (split.kind === "refused" || split.words.length === 0) return []
  const [shell = "", option = "", script, ...rest] = split.words
  if (!/^-l?c$/.test(option) || script === undefined || rest.length > 0) return [command]
  if (SHELL.test(shell) || shell === ownShell) return [script]
  return NAMED_AS_SHELL.test(shell) ? [script, command] : [command]
}

function findOwnShell(): string | null {
  try {
    return userInfo().shell
  } catch {
    return null // a user id without an entry, as in containers
  }
}

/** The changes of files, each as the tool of Claude Code that does the same. */
function changesIn(item: Fields): ToolUse[] {
  return listOf(item["changes"]).flatMap(({ path, kind, diff }): ToolUse[] => {
    const { type, move_path: to } = fieldsOf(kind)
    const file_path = textOf(path)
    if (type === "add") return [{ tool: "Write", input: { file_path, content: diff } }]
    const edit = { tool: "Edit", input: { file_path, kind: type, diff } }
    if (typeof to !== "string") return [edit]
    return [edit, { tool: "Write", input: { file_path: to, moved_from: file_path } }]
  })
}
