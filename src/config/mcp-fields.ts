/** `mcp_servers` of an agent in coppice.yml: servers of tools over the Model Context Protocol. */
import { z } from "zod"
import type { McpServer } from "./config.ts"
import { text, webAddress } from "./value-kinds.ts"

/** A part of the names of the server's tools. Names of the agent's own verbs begin with `coppice`. */
const serverName = text.regex(
  /^(?!coppice)[A-Za-z0-9][A-Za-z0-9_-]*$/i,
  "a name has only letters, digits, `_` and `-`, and does not begin with `coppice`",
)
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a name of a variable")
const headerName = text.regex(/^[A-Za-z0-9-]+$/, "is not a name of a header")
const value = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text" })
  .transform(String)
  .refine((one) => !/[\0\r\n]/.test(one), "must be one line")

const server = z
  .strictObject({
    command: z
      .tuple([text], z.string(), { error: "must be a list of the program and its arguments" })
      .optional(),
    env: z.record(variable, value).default({}),
    url: webAddress.optional(),
    headers: z.record(headerName, value).default({}),
  })
  .superRefine(({ command, env, url, headers }, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message })
    if (command === undefined && url === undefined)
      wrong("command", "is missing: a server has a `command` or a `url`")
    if (command !== undefined && url !== undefined) wrong("url", "does not go with `command`")
    if (command === undefined && Object.keys(env).length > 0)
      wrong("env", "is only for a `command`")
    if (url === undefined && Object.keys(headers).length > 0)
      wrong("headers", "are only for a `url`")
  })

export const McpServersFile = z.record(serverName, server)

export const resolveServers = (file: z.output<typeof McpServersFile>): McpServer[] =>
  Object.entries(file).map(([name, { command, env, url = "", headers }]) =>
    command ? { name, kind: "stdio", command, env } : { name, kind: "http", url, headers },
  )
