/**
 * Executes a query as Linear does: first it is checked against Linear's own schema, then its cost is
 * counted, and then it acts on the state of the double.
 */
import {
  type DocumentNode,
  defaultFieldResolver,
  executeSync,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from "graphql"
import type { ApiCall, Reply } from "../api-server.ts"
import { costOf } from "./cost.ts"
import { listed } from "./filter.ts"
import type { LinearState } from "./issues.ts"
import { type LinearContext, OPERATIONS } from "./operations.ts"
import { linearSchema } from "./schema.ts"

const COST_MAX = 10_000

/** Queries that were found good. */
const checked = new Map<string, DocumentNode>()

export function answerQuery({ state, login, body }: ApiCall<LinearState>): Reply {
  const query = String(body["query"] ?? "")
  const schema = linearSchema()
  let document: DocumentNode
  try {
    document = checked.get(query) ?? parse(query)
  } catch (error) {
    return refusal([error as GraphQLError], "graphql error", "GRAPHQL_PARSE_FAILED")
  }
  const wrong = checked.has(query) ? [] : validate(schema, document)
  if (wrong.length > 0) return refusal(wrong, "graphql error", "GRAPHQL_VALIDATION_FAILED")
  checked.set(query, document)
  const variables = Object(body["variables"])
  const cost = costOf(schema, document, variables)
  if (cost > COST_MAX)
    return refusal([new GraphQLError("Query too complex")], "user error", "QUERY_TOO_COMPLEX")
  const contextValue: LinearContext = { state, login }
  const all = { schema, document, variableValues: variables, contextValue }
  const { data, errors } = executeSync({ ...all, rootValue: OPERATIONS, fieldResolver })
  if (data === undefined) return refusal(errors ?? [], "graphql error", "BAD_USER_INPUT")
  return { status: 200, body: { data, ...(errors && { errors }) } }
}

/** A refusal before any effect has status 400. */
const refusal = (errors: readonly GraphQLError[], type: string, code: string): Reply => ({
  status: 400,
  body: {
    errors: errors.map(({ message, locations }) => {
      return { message, locations, extensions: { type, code, userError: true } }
    }),
  },
})

const fieldResolver: GraphQLFieldResolver<unknown, LinearContext> = (source, args, context, info) =>
  defaultFieldResolver(source, args, context, info) ?? emptyOf(info.returnType)

/** Linear's value of a feature that no user of the workspace has touched; undefined: there is none. */
function emptyOf(type: GraphQLOutputType): unknown {
  if (!isNonNullType(type)) return null
  if (isListType(type.ofType)) return []
  const named = getNamedType(type)
  if (isObjectType(named)) return named.name.endsWith("Connection") ? listed([], {}) : undefined
  return EMPTY[named.name]
}

const EMPTY: Readonly<Record<string, unknown>> = {
  Boolean: false,
  Int: 0,
  Float: 0,
  JSONObject: {},
}
