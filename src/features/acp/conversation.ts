/**
 * Drives one agent program that speaks the Agent Client Protocol, from its first prompt to its end.
 *
 *   initialize ─► session/new, resume or load ─► session/prompt ─► endTurn ─┬─► session/prompt
 *                                                                           └─► nothing: end it
 *
 * The program makes the session's id, and says what it can do: without a way to resume, a restart
 * begins a new conversation with a brief.
 *
 * @see https://agentclientprotocol.com/protocol/v1/overview
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { SessionEnd, SessionStart, Turn } from "../../kernel/runtime/runtime.ts"
import { firstPrompt } from "../runtimes/interrupted-prompt.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { type JsonRpc, RpcEndedError, RpcError } from "../runtimes/json-rpc.ts"
import { type ServedCommand, ServedProgram } from "../runtimes/served-program.ts"
import { readImages } from "../runtimes/turn-images.ts"
import { adapterMode, placeSettings } from "./adapters.ts"
import { acpRefusal, acpStop, isUnknownAcpSession } from "./failure.ts"
import { answerAcp } from "./requests.ts"
import { AcpUpdates, totalCostUsd, usageOfAnswer } from "./updates.ts"

const VERSION = 1
/** Time for a program to store that its turn was cancelled. */
const CANCEL_MS_MAX = 1_000
/** Time for a program to repeat a conversation that it has loaded. */
const REPLAY_MS_MAX = 10_000
/** No files and no terminals: see requests.ts. */
const CLIENT = {
  protocolVersion: VERSION,
  clientInfo: { name: "coppice", title: "Coppice", version: "1" },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {} },
  },
}

export class AcpConversation {
  readonly #session: SessionStart
  readonly #name: string
  readonly #server: ServedProgram
  readonly #updates: AcpUpdates
  #id = ""
  #turn: Turn
  /** The prompt that the agent works on. Never rejects. */
  #prompting: Promise<unknown> | undefined
  #costUsd: number | undefined
  /** The turn was cancelled for a person's message, with which the next one begins. */
  #isInterrupted = false
  #takesImages = false
  /** The program's answer to `initialize`. */
  #agent: Fields = {}
  /** Updates that repeated the earlier conversation. */
  #replayed = 0

  constructor(session: SessionStart, command: ServedCommand) {
    this.#session = session
    this.#name = command.name
    this.#server = new ServedProgram(session, command)
    this.#updates = new AcpUpdates(session.report)
    this.#turn = session.turn
  }

  /** @throws the error of `endTurn` or `spawn`, once no process is left. */
  async run(): Promise<SessionEnd> {
    const { person, signal, messages, onlyReads = false } = this.#session
    let rpc: JsonRpc | undefined
    const unfollow = messages.follow(() => this.#interrupt(rpc))
    const end = this.#server.run({
      notified: (method, params) => {
        if (method !== "session/update") return
        if (params["sessionId"] === this.#id) this.#read(fieldsOf(params["update"]))
        else this.#replayed++
      },
      asked: async (method, params) => {
        if (method === "session/request_permission")
          this.#updates.readTool(fieldsOf(params["toolCall"]), true)
        const { phase } = this.#turn
        return await answerAcp(method, params, { person, signal, phase, onlyReads })
      },
      converse: async (served) => {
        rpc = served
        try {
          await this.#converse(served)
        } catch (error) {
          if (!(error instanceof RpcError) || error instanceof RpcEndedError) throw error
          this.#server.finish(acpRefusal(this.#name, error))
        }
      },
      leave: async (rpc) => {
        if (!this.#prompting) return
        rpc.notify("session/cancel", { sessionId: this.#id })
        await Promise.race([this.#prompting, sleep(CANCEL_MS_MAX, undefined, { ref: false })])
      },
    })
    return await end.finally(unfollow)
  }

  /** The protocol has no way to say something to a turn that runs. */
  #interrupt(rpc: JsonRpc | undefined): void {
    if (!rpc || !this.#prompting || this.#isInterrupted) return
    if (!this.#session.messages.find(this.#turn.phase)) return
    this.#isInterrupted = true
    rpc.notify("session/cancel", { sessionId: this.#id })
  }

  async #converse(rpc: JsonRpc): Promise<void> {
    const agent = await this.#server.initialize(rpc, CLIENT)
    const version = agent["protocolVersion"]
    if (version !== VERSION)
      throw new RpcError(`it speaks version ${version} of the protocol, and Coppice ${VERSION}`)
    this.#agent = agent
    const can = fieldsOf(agent["agentCapabilities"])
    this.#takesImages = fieldsOf(can["promptCapabilities"])["image"] === true
    let prompt = await this.#open(rpc, can)
    for (;;) {
      const answer = await this.#prompt(rpc, prompt)
      const { stopReason } = answer
      const failure = acpStop(this.#name, stopReason)
      const isInterrupted = this.#isInterrupted && stopReason === "cancelled"
      this.#isInterrupted = false
      if (failure && !isInterrupted) return this.#server.finish(failure)
      const message = this.#updates.endTurn()
      const { n } = this.#turn
      const end = { n, message, usage: usageOfAnswer(answer), isHandoff: false }
      const next = await this.#server.endTurn(end)
      if (!next) return
      this.#turn = next
      prompt = [next.prompt]
    }
  }

  /** @returns the first prompt. */
  async #open(rpc: JsonRpc, can: Fields): Promise<readonly string[]> {
    const { conversation, place, servers } = this.#session
    const mcpServers = [...verbs(place.env, can), ...otherServers(servers, can)]
    const settings = { ...placeSettings(this.#agent, place.cwd), mcpServers }
    const brief = await conversation.systemPrompt()
    const prompt = (await this.#resume(rpc, can, settings))
      ? firstPrompt(this.#session, true)
      : ((await this.#fork(rpc, can, settings)) ?? (await this.#begin(rpc, settings)))
    return [brief, prompt]
  }

  /** @returns the first prompt; undefined if the program cannot copy the earlier conversation. */
  async #fork(rpc: JsonRpc, can: Fields, settings: Fields): Promise<string | undefined> {
    const { forkOf, resume, learnId } = this.#session.conversation
    if (resume || !forkOf?.programId || !fieldsOf(can["sessionCapabilities"])["fork"])
      return undefined
    const copy = await rpc
      .ask("session/fork", { ...settings, sessionId: forkOf.programId })
      .catch((error: unknown) => {
        if (error instanceof RpcError && isUnknownAcpSession(error)) return undefined
        throw error
      })
    const id = textOf(copy?.["sessionId"])
    if (!copy || id === "") return undefined
    await this.#prepare(rpc, id, copy)
    this.#id = id
    learnId(id)
    return this.#turn.prompt
  }

  /** Whether the agent goes on with the conversation that the store knows. */
  async #resume(rpc: JsonRpc, can: Fields, settings: Fields): Promise<boolean> {
    const { conversation } = this.#session
    const { programId } = conversation
    if (!conversation.resume || programId === null) return false
    const canResume = fieldsOf(can["sessionCapabilities"])["resume"]
    if (!canResume && can["loadSession"] !== true) return false
    const method = canResume ? "session/resume" : "session/load"
    const known = await rpc
      .ask(method, { ...settings, sessionId: programId })
      .catch(async (error: unknown) => {
        if (!(error instanceof RpcError)) throw error
        if (isUnknownAcpSession(error) || (await isUnlisted(rpc, can, programId))) return undefined
        throw error
      })
    if (!known) return false
    await this.#prepare(rpc, programId, known)
    if (!canResume) await this.#endReplay(rpc)
    this.#id = programId
    return true
  }

  /**
   * Waits until a program has repeated the conversation that it loaded. The Gemini CLI answers before
   * it has. It writes one update after the other, so its answer to a question comes after the next
   * update: when an answer comes alone, nothing is left.
   */
  async #endReplay(rpc: JsonRpc): Promise<void> {
    const late = sleep(REPLAY_MS_MAX, "late" as const, { ref: false })
    for (let before = -1; before < this.#replayed; ) {
      before = this.#replayed
      // No program knows this method: each refuses it at once.
      const answer = rpc.ask("_coppice/replayed", {}).catch((error: unknown) => {
        if (!(error instanceof RpcError) || error instanceof RpcEndedError) throw error
      })
      if ((await Promise.race([answer, late])) === "late") return
    }
  }

  async #begin(rpc: JsonRpc, settings: Fields): Promise<string> {
    const { conversation, report } = this.#session
    const made = await rpc.ask("session/new", settings)
    const id = textOf(made["sessionId"])
    if (id === "") throw new RpcError("it began a session without an id")
    await this.#prepare(rpc, id, made)
    this.#id = id
    this.#costUsd = 0
    conversation.learnId(id)
    if (!conversation.resume && !conversation.forkOf) return this.#turn.prompt
    const text = "The program does not know the earlier conversation; a new one begins."
    report.event({ kind: "notice", text })
    return await conversation.freshPrompt()
  }

  async #prepare(rpc: JsonRpc, sessionId: string, session: Fields): Promise<void> {
    const modeId = adapterMode(this.#agent, session)
    if (modeId !== undefined) await rpc.ask("session/set_mode", { sessionId, modeId })
    const { model } = this.#session
    if (model === undefined) return
    const { method, params } = modelRequest(session, model)
    await rpc.ask(method, { sessionId, ...params })
  }

  async #prompt(rpc: JsonRpc, texts: readonly string[]): Promise<Fields> {
    const said = texts.filter((text) => text !== "").map((text) => ({ type: "text", text }))
    const images = this.#takesImages ? readImages(this.#turn) : []
    const shown = images.map(({ type: mimeType, data }) => ({ type: "image", mimeType, data }))
    const prompt = [...said, ...shown]
    const answer = rpc.ask("session/prompt", { sessionId: this.#id, prompt })
    // `leave` only waits for its end. An error is thrown below.
    this.#prompting = Promise.allSettled([answer])
    this.#interrupt(rpc)
    const settled = await answer
    this.#prompting = undefined
    return settled
  }

  #read(update: Fields): void {
    this.#updates.read(update)
    this.#readCost(totalCostUsd(update))
    const { turnsMax } = this.#session.limits
    if (this.#updates.answers <= turnsMax) return
    const text = `the limit of ${turnsMax} turns (agents.<name>.session.max_turns) is reached`
    this.#server.finish({ kind: "stuck", code: "budget", text })
  }

  /** The program counts from the session's beginning, so a resumed one begins with its first total. */
  #readCost(total: number | undefined): void {
    if (total === undefined) return
    const costUsd = total - (this.#costUsd ?? total)
    this.#costUsd = total
    if (costUsd <= 0) return
    this.#session.report.usage(this.#turn.n, { ...usageOfAnswer({}), turns: 0, costUsd })
  }
}

/**
 * The agent's verbs, for a program that takes servers over HTTP; `coppice agent` has them for every
 * program. The token goes through a pipe, so it is on no command line.
 */
function verbs(env: Readonly<Record<string, string>>, can: Fields): object[] {
  const { COPPICE_URL: url, COPPICE_TOKEN: token } = env
  if (!url || !token || !takesHttp(can)) return []
  const headers = [{ name: "Authorization", value: `Bearer ${token}` }]
  return [{ type: "http", name: "coppice", url: `${url}/agent/mcp`, headers }]
}

const takesHttp = (can: Fields) => fieldsOf(can["mcpCapabilities"])["http"] === true

/** @throws {RpcError} for a server over HTTP, if the program takes none. */
function otherServers(servers: SessionStart["servers"], can: Fields): object[] {
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => ({ name, value }))
  return servers.map((server) => {
    const { name } = server
    if (server.kind === "stdio") {
      const [command, ...args] = server.command
      return { name, command, args, env: pairs(server.env) }
    }
    if (!takesHttp(can))
      throw new RpcError(`it takes no servers over HTTP, and \`mcp_servers.${name}\` is one`)
    return { type: "http", name, url: server.url, headers: pairs(server.headers) }
  })
}

/** Whether the program's list of its sessions is whole and lacks this one. */
async function isUnlisted(rpc: JsonRpc, can: Fields, id: string): Promise<boolean> {
  if (!fieldsOf(can["sessionCapabilities"])["list"]) return false
  const { sessions, nextCursor } = await rpc.ask("session/list", {})
  return (
    Array.isArray(sessions) &&
    !nextCursor &&
    listOf(sessions).every((one) => one["sessionId"] !== id)
  )
}

/**
 * @param session the program's answer, with the models that it has.
 * @throws {RpcError} when it takes no model.
 */
function modelRequest(session: Fields, model: string): { method: string; params: object } {
  const option = listOf(session["configOptions"]).find(({ category }) => category === "model")
  if (option)
    return {
      method: "session/set_config_option",
      params: { configId: option["id"], value: model },
    }
  // The way of programs that are older than options.
  if (session["models"]) return { method: "session/set_model", params: { modelId: model } }
  throw new RpcError(`it takes no model, and \`model\` is ${model}`)
}
