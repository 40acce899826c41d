/** A person's program: it starts `coppice mcp`, calls its tools, and shows dialogs to a scripted person. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { LAUNCHER } from "./home.ts"

type ProgramOptions = {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly args?: readonly string[]
  /** The person's reply to a dialog. Without it, the program cannot show one. */
  readonly person?: (message: string) => ElicitResult
}

/** The documents of all tools: a test knows which it asked for. */
type Answered = {
  readonly landing: string
  readonly task: TaskDocument
  readonly tasks: readonly { readonly id: string }[]
  readonly repos: readonly { readonly patch: string; readonly nextOffset: number | null }[]
  readonly questions: readonly { readonly id: string }[]
}

/** The part of an answer between the two tags. */
const TAGGED = /^.*data.*\n<(coppice-data-[0-9a-f]{8})>\n([^]*)\n<\/\1>/

export class Program implements AsyncDisposable {
  readonly client: Client
  readonly #transport: StdioClientTransport
  /** The dialogs that the person has seen. */
  readonly dialogs: string[] = []
  readonly progress: string[] = []

  private constructor({ cwd, env, args = [], person }: ProgramOptions) {
    const command = { command: process.execPath, args: [LAUNCHER, "mcp", ...args] }
    this.#transport = new StdioClientTransport({ ...command, cwd, env, stderr: "ignore" })
    const capabilities = person ? { elicitation: {} } : {}
    this.client = new Client({ name: "test", version: "1" }, { capabilities })
    if (person)
      this.client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        this.dialogs.push(params.message)
        return person(params.message)
      })
  }

  static async start(options: ProgramOptions): Promise<Program> {
    const program = new Program(options)
    await program.client.connect(program.#transport)
    return program
  }

  /** @returns the text as the model gets it. */
  async text(tool: string, given: object = {}): Promise<{ text: string; isError: boolean }> {
    const onprogress = ({ message = "" }) => void this.progress.push(message)
    const call = { name: tool, arguments: given as Record<string, unknown> }
    const answer = await this.client.callTool(call, undefined, { onprogress, timeout: 120_000 })
    const [{ text } = { text: "" }] = answer.content as { text: string }[]
    return { text, isError: answer.isError === true }
  }

  /** @returns the document of a tool that succeeds. */
  async call(tool: string, given: object = {}): Promise<Answered> {
    const { text, isError } = await this.text(tool, given)
    if (isError) throw new Error(`${tool}: ${text}`)
    return JSON.parse(TAGGED.exec(text)![2]!)
  }

  /** @returns the error of a tool that fails. */
  async refusal(
    tool: string,
    given: object = {},
  ): Promise<{ code: string; message: string; hints: string[] }> {
    const { text, isError } = await this.text(tool, given)
    if (!isError) throw new Error(`${tool} did not fail: ${text}`)
    return JSON.parse(TAGGED.exec(text)![2]!).error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
  }
}
