/** A small MCP server on its standard streams, for tests: its one tool says the value of KEY. */
import { createInterface } from "node:readline"

const tool = { name: "who", description: "Says the key.", inputSchema: { type: "object" } }
const answers: Readonly<Record<string, (params: Record<string, unknown>) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "test", version: "1" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => ({ content: [{ type: "text", text: `the key is ${process.env["KEY"]}` }] }),
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
})
