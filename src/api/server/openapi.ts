/** The OpenAPI description of the daemon's HTTP API, from the table of its routes and their schemas. */
import { z } from "zod"
import { ROUTES, type Route } from "../wire/routes.ts"
import { SCHEMAS } from "../wire/schemas.ts"

type Schema = { readonly [key: string]: unknown }
type ObjectSchema = { readonly properties?: Readonly<Record<string, Schema>>; required?: string[] }

const COMPONENTS = "#/components/schemas/"
const refTo = (name: string): Schema => ({ $ref: `${COMPONENTS}${name}` })
const json = (name: string) => ({ "application/json": { schema: refTo(name) } })

/** The error document of base/errors.ts. */
const ERROR = z.object({
  error: z.object({
    code: z.string(),
    blame: z.enum(["user", "world", "bug"]),
    message: z.string(),
    hints: z.array(z.string()),
  }),
})

/** @returns a document of OpenAPI 3.1, for the version of Coppice that answers. */
export function describeApi(version: string | null): object {
  const schemas = listSchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const [method, at] = route.at.split(" ") as [string, string]
    const path = at.replace(":ref", "{ref}")
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeRoute(name, route, schemas) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Coppice", version: version ?? "", license: { name: "MIT", identifier: "MIT" } },
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  }
}

function listSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>()
  const all: Readonly<Record<string, z.ZodType>> = { ...SCHEMAS, ErrorDocument: ERROR }
  for (const [id, schema] of Object.entries(all)) registry.add(schema, { id })
  const uri = (id: string) => `${COMPONENTS}${id}`
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema as Schema]),
  )
}

function describeRoute(name: string, route: Route, schemas: Record<string, Schema>): object {
  const { at, about, takes, answers, isFollowed, isQuick, isRepeatable } = route
  const isGet = at.startsWith("GET ")
  const parameters = [
    ...(at.includes(":ref") ? [inPath] : []),
    ...(takes && isGet ? inQuery(schemas[takes] as ObjectSchema) : []),
    ...(isRepeatable ? [inHeader] : []),
  ]
  const socket = describeSocket(route)
  const answer = {
    ...(socket && { 101: { description: socket } }),
    ...(!isFollowed && { 200: { description: about, content: json(answers) } }),
  }
  const later = { description: "It takes longer: `GET /operations/{ref}` waits for its answer." }
  const accepted =
    socket || isQuick ? {} : { 202: { ...later, content: json("OperationDocument") } }
  return {
    operationId: name,
    summary: about,
    parameters,
    ...(takes && !isGet ? { requestBody: { content: json(takes) } } : {}),
    responses: {
      ...answer,
      ...accepted,
      default: { description: "It was refused or failed.", content: json("ErrorDocument") },
    },
  }
}

function describeSocket({ answers, isFollowed, isTerminal }: Route): string | undefined {
  const known =
    answers === "EventDocument" ? " KnownEventDocument has the types of this version." : ""
  if (isFollowed) return `A WebSocket; each of its messages is one ${answers}.${known}`
  if (!isTerminal) return undefined
  return `A WebSocket. Binary messages are keys and output; the page's other ones are TerminalWords, the daemon's are ${answers}.`
}

const inPath = { name: "ref", in: "path", required: true, schema: { type: "string" } }
const inHeader = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same key makes one task only, also after a restart of the daemon.",
  schema: { type: "string" },
}

const inQuery = ({ properties = {}, required = [] }: ObjectSchema) =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }))
