/**
 * Talks to the `claude` program itself, over its input and output: the part of the Agent SDK that we
 * use, for machines that only have the program.
 *
 *   we ─► initialize, prompts, answers ─► stdin      stdout ─► messages, questions of the program
 *
 * The program asks for hooks and permissions by `control_request`, and takes ours the same way. It
 * writes one JSON document a line. A request that we do not know is refused, so that it never hangs.
 */
import type {
  HookCallback,
  Options,
  PermissionResult,
  Query,
  SDKMessage,
  SDKUserMessage,
  SpawnedProcess,
} from "@anthropic-ai/claude-agent-sdk"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { readDocuments } from "../../kernel/process/lines.ts"
import { Mailbox } from "../runtimes/mailbox.ts"

/** The part of the SDK that we use. Both ways to the program have it. */
export type ClaudeSdk = {
  query(params: {
    readonly prompt: AsyncIterable<SDKUserMessage>
    readonly options: Options
  }): ClaudeQuery
}

export type ClaudeQuery = AsyncIterable<SDKMessage> & {
  initializationResult(): Promise<unknown>
  close(): void
} & Pick<Query, "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET">

type Params = Parameters<ClaudeSdk["query"]>[0]
type Json = Record<string, unknown>
type Waiting = { resolve(answer: Json): void; reject(error: Error): void }

export const claudeStdio: ClaudeSdk = { query: (params) => new StdioQuery(params) }

class StdioQuery implements ClaudeQuery {
  readonly #options: Options
  readonly #child: SpawnedProcess
  readonly #messages = new Mailbox<SDKMessage>()
  /** By the ids that the program got for them. */
  readonly #hooks = new Map<string, HookCallback>()
  /** Our requests, until the program answers. */
  readonly #asked = new Map<string, Waiting>()
  /** Requests of the program that we work on; it may withdraw them. */
  readonly #answering = new Map<string, AbortController>()
  readonly #initialized: Promise<Json>

  constructor({ prompt, options }: Params) {
    const { spawnClaudeCodeProcess: spawn, pathToClaudeCodeExecutable: command = "claude" } =
      options
    if (!spawn) throw new Error("a conversation has a way to start its program")
    this.#options = options
    const env = { ...options.env, CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }
    const { cwd = process.cwd() } = options
    const { signal } = new AbortController() // the child's owner ends it
    this.#child = spawn({ command, args: claudeArguments(options), cwd, env, signal })
    this.#child.on("error", (error) => this.#end(error))
    const { stdout } = this.#child
    readDocuments(
      stdout,
      (message) => this.#read(message),
      () => this.#end(),
    )
    this.#initialized = this.#ask({ subtype: "initialize", ...this.#wishes() })
    void this.#begin(prompt)
  }

  [Symbol.asyncIterator](): AsyncGenerator<SDKMessage, void> {
    return this.#messages.take()
  }

  async initializationResult(): Promise<unknown> {
    return await this.#initialized
  }

  async usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET() {
    const usage = await this.#ask({ subtype: "get_usage", skip_behaviors: true })
    return usage as Awaited<ReturnType<ClaudeQuery[typeof USAGE]>>
  }

  /** Closes its input; the program then ends. */
  close(): void {
    this.#child.stdin.end()
  }

  /** Without its hooks the program would keep no rule, so a prompt waits until it has them. */
  async #begin(prompt: Params["prompt"]): Promise<void> {
    try {
      await this.#initialized
    } catch (error) {
      return this.#end(new UnstartableError((error as Error).message, [], error))
    }
    for await (const message of prompt) this.#write(message)
    this.close()
  }

  /** Hooks get ids, by which the program calls them. */
  #wishes(): Json {
    const { hooks = {}, systemPrompt } = this.#options
    const named = Object.entries(hooks).map(([event, matchers]) => {
      const all = matchers.map(({ hooks: callbacks, timeout }) => ({
        hookCallbackIds: callbacks.map((callback) => this.#name(callback)),
        ...(timeout !== undefined && { timeout }),
      }))
      return [event, all]
    })
    const wishes = { hooks: Object.fromEntries(named) }
    if (typeof systemPrompt !== "object" || !("append" in systemPrompt)) return wishes
    const { append: appendSystemPrompt, snapshot: systemPromptSnapshot } = systemPrompt
    return { ...wishes, appendSystemPrompt, systemPromptSnapshot }
  }

  #name(callback: HookCallback): string {
    const id = `hook_${this.#hooks.size}`
    this.#hooks.set(id, callback)
    return id
  }

  #ask(request: Json): Promise<Json> {
    const id = `ask_${this.#asked.size}_${performance.now()}`
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      this.#write({ type: "control_request", request_id: id, request })
    })
  }

  #write(message: object): void {
    if (!this.#child.stdin.writableEnded) this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #read(message: Json): void {
    const id = String(message["request_id"])
    if (message["type"] === "control_request") void this.#answer(id, message["request"] as Json)
    else if (message["type"] === "control_cancel_request") this.#answering.get(id)?.abort()
    else if (message["type"] === "control_response")
      this.#settle((message["response"] ?? {}) as Json)
    else if (message["type"] !== "keep_alive") this.#messages.put(message as unknown as SDKMessage)
  }

  #settle({ request_id, subtype, response, error }: Json): void {
    const waiting = this.#asked.get(String(request_id))
    this.#asked.delete(String(request_id))
    if (subtype === "success") waiting?.resolve((response ?? {}) as Json)
    else waiting?.reject(new Error(`claude refused a request: ${String(error)}`))
  }

  async #answer(id: string, request: Json): Promise<void> {
    const withdrawn = new AbortController()
    this.#answering.set(id, withdrawn)
    const answer = (response: Json) => this.#write({ type: "control_response", response })
    try {
      const response = await this.#decide(request, withdrawn.signal)
      answer({ subtype: "success", request_id: id, response })
    } catch (error) {
      answer({ subtype: "error", request_id: id, error: String(error) })
    }
    this.#answering.delete(id)
  }

  async #decide(request: Json, signal: AbortSignal): Promise<object> {
    const { subtype, callback_id, input, tool_name, tool_use_id } = request
    const hook = this.#hooks.get(String(callback_id))
    const use = tool_use_id as string
    if (subtype === "hook_callback" && hook)
      return await hook(input as Parameters<HookCallback>[0], use, { signal })
    const { canUseTool } = this.#options
    if (subtype !== "can_use_tool" || !canUseTool)
      throw new Error(`there is no answer to ${String(subtype)}`)
    const facts = { signal, toolUseID: use, requestId: use }
    const decided = await canUseTool(String(tool_name), input as Json, facts)
    return (decided ?? { behavior: "deny", message: "no decision" }) satisfies PermissionResult
  }

  #end(error?: Error): void {
    for (const { reject } of this.#asked.values()) reject(error ?? new Error("claude has ended"))
    for (const withdrawn of this.#answering.values()) withdrawn.abort()
    this.#asked.clear()
    this.#messages.end(error)
  }
}

const USAGE = "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET"

/** Covers the options that options.ts sets; the rest goes with the first request. */
function claudeArguments(options: Options): string[] {
  const {
    model,
    maxTurns,
    maxBudgetUsd,
    mcpServers,
    settingSources = [],
    resume,
    sessionId,
  } = options
  const valued = {
    "max-turns": maxTurns,
    "max-budget-usd": maxBudgetUsd,
    model,
    "permission-mode": options.permissionMode,
    resume,
    "session-id": sessionId,
    "mcp-config": mcpServers && JSON.stringify({ mcpServers }),
  }
  return [
    ...["-p", "--verbose", "--output-format=stream-json", "--input-format=stream-json"],
    ...["--permission-prompt-tool=stdio", `--setting-sources=${settingSources.join(",")}`],
    ...(options.includePartialMessages ? ["--include-partial-messages"] : []),
    ...(options.forkSession ? ["--fork-session"] : []),
    ...(options.strictMcpConfig ? ["--strict-mcp-config"] : []),
    ...(options.additionalDirectories ?? []).map((folder) => `--add-dir=${folder}`),
    ...Object.entries(valued).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    ),
  ]
}
