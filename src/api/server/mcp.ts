/**
 * The verbs of agents as an MCP server: stateless, one server for each request. The server for a person's own
 * programs is `coppice mcp`, in surfaces/mcp.
 *
 * Loaded when the first agent asks, so that an idle daemon does not hold the protocol's library.
 *
 * @see https://modelcontextprotocol.io/specification
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { FastifyReply, FastifyRequest } from "fastify"
import { toErrorDocument } from "../../base/errors.ts"
import { readVersion } from "../client/daemon-address.ts"
import type { VerbRequest } from "../verb.ts"
import { VERBS, type VerbName } from "../wire/verbs.ts"
import { inputOf, type RunVerb, VERB_NAMES } from "./run-verb.ts"

type McpRequest = Asked & {
  readonly request: FastifyRequest
  /** Hijacked from Fastify. */
  readonly reply: FastifyReply
}

type Asked = Omit<VerbRequest, "input"> & {
  readonly runVerb: RunVerb
  /** Receives our own bugs; the protocol's library gives an agent no details of them. */
  onBug(error: unknown): void
}

export async function answerMcp({ request, reply, ...asked }: McpRequest): Promise<void> {
  const server = new McpServer({ name: "coppice", version: readVersion() })
  for (const name of VERB_NAMES) addTool(server, name, asked)
  const transport = new StreamableHTTPServerTransport({})
  asked.untilGone().addEventListener("abort", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request.raw, reply.raw, request.body)
}

function addTool(server: McpServer, name: VerbName, { onBug, runVerb, ...asked }: Asked): void {
  const description = VERBS[name].about
  const inputSchema = inputOf(name).shape
  server.registerTool(name, { description, inputSchema }, async (input: object) => {
    try {
      return content(await runVerb(name, { ...asked, input }))
    } catch (error) {
      const { code, message, hints } = toErrorDocument(error).error
      if (code === "bug") {
        onBug(error)
        throw error
      }
      return { ...content({ error: { code, message, hints } }), isError: true }
    }
  })
}

/** As text: the one kind of content that every program reads. */
function content(document: object) {
  return { content: [{ type: "text" as const, text: JSON.stringify(document, null, 2) }] }
}
