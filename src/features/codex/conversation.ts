/**
 * Drives one `codex app-server` from its first prompt to its end.
 *
 *   thread/start or thread/resume ─► turn/start ─► turn/completed ─► endTurn ─┬─► turn/start
 *                                                                             └─► nothing: end it
 *
 * The server stays while the end of a turn is recorded, so work that comes back continues at once. The
 * first cause of an end wins.
 */

import type { SeenLimit, SessionEnd, SessionStart, Turn } from "../../kernel/runtime/runtime.ts"
import { firstPrompt } from "../runtimes/interrupted-prompt.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { type JsonRpc, RpcError } from "../runtimes/json-rpc.ts"
import { ServedProgram } from "../runtimes/served-program.ts"
import { type Approval, CodexApprovals } from "./approvals.ts"
import { completedEvents, failureOf, saidIn, seenLimits, startedEvents, usageOf } from "./events.ts"
import { codexOptions, requireAsked, requireAsking, threadSettings } from "./settings.ts"

export type CodexStart = {
  readonly session: SessionStart
  /** Absolute path of the codex program. */
  readonly program: string
}

export class CodexConversation {
  readonly #session: SessionStart
  readonly #server: ServedProgram
  readonly #approvals: CodexApprovals
  #thread = ""
  #turn: Turn
  /** The program's id of our turn. */
  #running: string | undefined
  /** The request that gives it a person's message. Never rejects. */
  #steering: Promise<void> | undefined
  #message: string | null = null
  #answers = 0
  #limits: SeenLimit[] = []

  constructor({ session, program }: CodexStart) {
    this.#session = session
    const args = ["app-server", ...codexOptions(session)]
    this.#server = new ServedProgram(session, { name: "codex", program, args })
    this.#approvals = new CodexApprovals(session)
    this.#turn = session.turn
  }

  /** @throws the error of `endTurn` or `spawn`, once no process is left. */
  async run(): Promise<SessionEnd> {
    let rpc: JsonRpc
    const unfollow = this.#session.messages.follow(() => this.#steer(rpc))
    const end = this.#server.run({
      notified: (method, params) => this.#read(rpc, method, params),
      asked: (method, params) => this.#answer(rpc, method, params),
      converse: async (served) => {
        rpc = served
        await this.#begin(served)
      },
    })
    return await end.finally(unfollow)
  }

  async #begin(rpc: JsonRpc): Promise<void> {
    const greeting = await this.#server.initialize(rpc, {
      clientInfo: { name: "coppice", title: "Coppice", version: "1" },
    })
    requireAsking(greeting, this.#session)
    rpc.notify("initialized")
    await this.#startTurn(rpc, await this.#openThread(rpc))
  }

  /** @returns the first prompt. */
  async #openThread(rpc: JsonRpc): Promise<string> {
    const { conversation, report } = this.#session
    const settings = await threadSettings(rpc, this.#session)
    const { programId, forkOf } = conversation
    const from = (threadId: string) => ({ ...settings, threadId, excludeTurns: true })
    if (conversation.resume && programId !== null) {
      const known = await this.#askKnown(rpc, "thread/resume", from(programId))
      this.#thread = programId
      if (known) {
        requireAsked(known, this.#session)
        return firstPrompt(this.#session, true)
      }
    } else if (forkOf && forkOf.programId !== null) {
      const copy = await this.#askKnown(rpc, "thread/fork", from(forkOf.programId))
      this.#thread = idIn(copy, "thread")
      if (this.#thread !== "") conversation.learnId(this.#thread)
      if (copy) {
        requireAsked(copy, this.#session)
        return this.#turn.prompt
      }
    }
    const made = await rpc.ask("thread/start", settings)
    requireAsked(made, this.#session)
    const thread = idIn(made, "thread")
    if (thread === "") throw new RpcError("it names no conversation")
    this.#thread = thread
    conversation.learnId(thread)
    if (!conversation.resume && !forkOf) return this.#turn.prompt
    const text = "The program does not know the earlier conversation; a new one begins."
    report.event({ kind: "notice", text })
    return await conversation.freshPrompt()
  }

  /** @returns undefined if the program does not know the thread. */
  #askKnown(rpc: JsonRpc, method: string, params: Fields) {
    return rpc.ask(method, params).catch((error: unknown) => {
      if (error instanceof RpcError && isUnknownThread(error) && !this.#server.isOver)
        return undefined
      throw error
    })
  }

  async #startTurn(rpc: JsonRpc, prompt: string): Promise<void> {
    this.#message = null
    this.#answers = 0
    const images = this.#turn.images ?? []
    const input = [
      { type: "text", text: prompt, text_elements: [] },
      ...images.map(({ path }) => ({ type: "localImage", path })),
    ]
    this.#running = idIn(await rpc.ask("turn/start", { threadId: this.#thread, input }), "turn")
    this.#steer(rpc)
  }

  /** Gives the running turn a person's message. If the turn refuses it, the next one gets it. */
  #steer(rpc: JsonRpc): void {
    const turn = this.#running
    if (turn === undefined || this.#steering || this.#server.isOver) return
    const steer = async () => {
      const message = this.#session.messages.find(this.#turn.phase)
      if (!message) return false
      const input = [{ type: "text", text: message.text, text_elements: [] }]
      const steered = { threadId: this.#thread, expectedTurnId: turn, input }
      try {
        await rpc.ask("turn/steer", steered)
      } catch (error) {
        if (error instanceof RpcError) return false
        throw error
      }
      message.delivered()
      return true
    }
    this.#steering = steer().then(
      (isSteered) => {
        this.#steering = undefined
        if (isSteered) this.#steer(rpc) // more may have been said
      },
      (error: unknown) => this.#server.fail(error),
    )
  }

  #read(rpc: JsonRpc, method: string, params: Fields): void {
    const { report } = this.#session
    if (method === "item/started") this.#approvals.began(params)
    else if (method === "item/completed") this.#guard(params)
    const { threadId = this.#thread } = params
    if (threadId !== this.#thread) return // a subagent's
    if (method === "item/started") this.#readStart(fieldsOf(params["item"]))
    else if (method === "turn/started") this.#running = idIn(params, "turn")
    else if (method === "item/agentMessage/delta") report.writes(textOf(params["delta"]))
    else if (method === "item/completed") this.#readItem(fieldsOf(params["item"]))
    else if (method === "thread/tokenUsage/updated") this.#readUsage(params)
    else if (method === "account/rateLimits/updated") {
      this.#limits = seenLimits(fieldsOf(params["rateLimits"]))
      for (const limit of this.#limits) report.limit(limit)
    } else if (method === "error") this.#readError(params)
    else if (method === "turn/completed")
      this.#readEnd(rpc, fieldsOf(params["turn"])).catch((error) => this.#server.fail(error))
  }

  /** A policy or a version that we do not know lets it use tools without asking. */
  #guard(params: Fields): void {
    const tool = this.#approvals.ended(params)
    if (tool === undefined) return
    const text = `codex did not ask before it used a tool, so \`permissions\` are not kept: ${tool}`
    this.#server.finish({ kind: "stuck", code: "failed", text })
  }

  #readStart(item: Fields): void {
    const { report } = this.#session
    if (item["type"] === "agentMessage") report.writes(null)
    for (const event of startedEvents(item)) report.event(event)
  }

  #readItem(item: Fields): void {
    for (const event of completedEvents(item)) this.#session.report.event(event)
    this.#message = saidIn(item) || this.#message
  }

  #readUsage({ turnId, tokenUsage }: Fields): void {
    if (turnId !== this.#running) return // a resumed thread reports its last turn again
    const { last } = fieldsOf(tokenUsage)
    this.#session.report.usage(this.#turn.n, usageOf(fieldsOf(last)))
    const { turnsMax } = this.#session.limits
    if (++this.#answers < turnsMax) return
    const text = `the limit of ${turnsMax} turns (agents.<name>.session.max_turns) is reached`
    // The last answer may have ended the turn: its end is on the way then.
    setTimeout(() => {
      if (this.#answers >= turnsMax && !this.#server.isEndingTurn)
        this.#server.finish({ kind: "stuck", code: "budget", text })
    }, LAST_ANSWER_MS).unref()
  }

  #readError({ error, willRetry }: Fields): void {
    const failure = failureOf(fieldsOf(error), this.#limits)
    const text = `The model API failed: ${textOf(fieldsOf(error)["message"])}; trying again`
    // Without another try, the end of the turn says it again.
    if (failure.kind === "stuck" && failure.code === "api_refused") this.#server.finish(failure)
    else if (willRetry) this.#session.report.event({ kind: "notice", text })
  }

  async #readEnd(rpc: JsonRpc, { status, error }: Fields): Promise<void> {
    if (status !== "completed") return this.#server.finish(failureOf(fieldsOf(error), this.#limits))
    this.#running = undefined
    await this.#steering
    const usage = { ...usageOf({}), turns: 1 }
    const { n } = this.#turn
    const next = await this.#server.endTurn({ n, message: this.#message, usage, isHandoff: false })
    if (!next) return
    this.#turn = next
    await this.#startTurn(rpc, next.prompt)
  }

  async #answer(rpc: JsonRpc, method: string, params: Fields): Promise<object> {
    if (/^item\/(commandExecution|fileChange)\/requestApproval$/.test(method))
      return await this.#approve(rpc, params, await this.#approvals.decide(params))
    if (fieldsOf(params["_meta"])["codex_approval_kind"] === "mcp_tool_call")
      return await this.#approve(rpc, params, await this.#approvals.decideTool(params))
    if (method !== "item/tool/requestUserInput")
      throw new RpcError(`there is no answer to ${method}`)
    const answers: Record<string, { answers: string[] }> = {}
    for (const { id, question, options } of listOf(params["questions"])) {
      const choices = listOf(options).map(({ label }) => textOf(label))
      const answer = await this.#session.person.ask(
        { text: textOf(question), choices },
        this.#session.signal,
      )
      answers[textOf(id)] = { answers: [answer ?? "There is no answer yet: end your turn now."] }
    }
    return { answers }
  }

  /** Why a tool is denied has no place in the answer, so it is said to the turn, first. */
  async #approve(rpc: JsonRpc, { threadId, turnId }: Fields, approval: Approval): Promise<Fields> {
    const { answer, why } = approval
    if (why === undefined || this.#server.isOver) return answer
    const input = [{ type: "text", text: why, text_elements: [] }]
    const told = rpc.ask("turn/steer", { threadId, expectedTurnId: turnId, input })
    await told.catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error // a turn that is over reads nothing more
    })
    return answer
  }
}

/** The id of the thread or turn that a message names; possibly empty. */
const idIn = (message: unknown, name: "thread" | "turn"): string =>
  textOf(fieldsOf(fieldsOf(message)[name])["id"])

/** Any other refusal may pass, so it must not end the conversation. The program has no code for this one. */
const isUnknownThread = ({ message }: RpcError): boolean =>
  /^(no rollout found for|thread not found|conversation not found)\b/i.test(message)

/** How long the end of a turn may follow the model's last answer. */
const LAST_ANSWER_MS = 2_000
