/** The settings of a session of the Agent Client Protocol: servers of tools, and the model. */
import { type Fields, fieldsOf, listOf } from "./json-fields.ts"
import { type JsonRpc, RpcError } from "./json-rpc.ts"

/**
 * The agent's verbs, for a program that takes servers over HTTP; `coppice agent` has them for every
 * program. The token goes through a pipe, so it is on no command line.
 */
export function mcpServers(env: Readonly<Record<string, string>>, can: Fields): object[] {
  const { COPPICE_URL: url, COPPICE_TOKEN: token } = env
  if (!url || !token || fieldsOf(can["mcpCapabilities"])["http"] !== true) return []
  const headers = [{ name: "Authorization", value: `Bearer ${token}` }]
  return [{ type: "http", name: "coppice", url: `${url}/agent/mcp`, headers }]
}

/** Whether the program's list of its sessions is whole and lacks this one. */
export async function isUnlisted(rpc: JsonRpc, can: Fields, id: string): Promise<boolean> {
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
export function modelRequest(session: Fields, model: string): { method: string; params: object } {
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
